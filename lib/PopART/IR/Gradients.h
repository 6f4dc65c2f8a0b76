// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operator sees when it is differentiated (Op::differentiate): its
// operands and results, the gradients of its results, and a builder with which
// it makes the gradients of its operands, of ordinary operators. With dy the
// gradient of the result, the rule of Sigmoid is
//   g.set(0, g.mul(g.dy(), g.mul(g.y(), g.from(1, g.y()))));

#ifndef POPULUS_LIB_POPART_IR_GRADIENTS_H
#define POPULUS_LIB_POPART_IR_GRADIENTS_H

#include "lib/PopART/IR/OpBuilder.h"

namespace populus::popir {

/// The gradient graph of a graph: a graph of its own, which is called after the
/// forward graph.
struct GradientGraph {
  Graph *graph = nullptr;
  /// Values of the forward graph. The graph's first arguments are the gradients
  /// of `provided`, the others are `forwardValues`: arguments and results of
  /// the forward graph, or values that are to become results. Its results are
  /// the gradients of `required`.
  std::vector<Value *> provided, forwardValues, required;
};

/// Makes gradient graphs, for operators that call graphs.
class GradientGraphs {
public:
  virtual ~GradientGraphs() = default;
  /// The gradients of those of `required` that have one. The same graph again
  /// where the same is asked for again.
  virtual const GradientGraph &of(Graph &forward,
                                  const std::vector<Value *> &provided,
                                  const std::vector<Value *> &required) = 0;
};

class Gradients : public GraphBuilder {
public:
  /// `given` are the gradients of the operator's results, null where a result
  /// does not matter; `wanted` says which operands need one.
  Gradients(Op &forward, std::vector<Value *> given, std::vector<bool> wanted,
            GradientGraphs &graphs);

  /// For operators that call graphs.
  GradientGraphs &gradientGraphs() { return graphs; }

  Op &forward() { return forwardOp; }
  const Attributes &attributes() const { return forwardOp.attributes(); }

  /// An operand of the operator, which must be there.
  Value &x(std::size_t index = 0);
  const Shape &shape(std::size_t index = 0) { return x(index).info.shape; }
  /// Lets the rule see an operand in another shape of as many elements.
  void lineUp(std::size_t index, const Shape &shape);
  /// A result of the operator. One that nobody wanted so far is computed from
  /// then on.
  Value &y(std::size_t index = 0);

  /// Whether a result matters.
  bool hasDy(std::size_t index) const {
    return index < given.size() && given[index];
  }
  /// The gradient of a result; zeros where it does not matter.
  Value &dy(std::size_t index = 0);

  /// Whether the gradient of an operand is needed. Others may be set all the
  /// same.
  bool wants(std::size_t index) const {
    return index < wanted.size() && wanted[index];
  }
  /// Sets the gradient of an operand. Along dimensions in which the operand was
  /// broadcast it is added up.
  void set(std::size_t index, Value &gradient);
  /// Null where none was set.
  Value *gradientOf(std::size_t index) const { return found[index]; }
  /// Says that no result moves with an operand.
  void end(std::size_t index) { ended[index] = true; }
  /// Says that of all operands whose gradient has not been set: steps are flat,
  /// and Detach is there to end the path.
  void endRest() { isEnd = true; }
  /// An Error where the rule left out the gradient of an operand, or did not
  /// look at that of a result, without having said that the path ends: training
  /// would leave weights as they are, without a word.
  void checkComplete() const;

  /// A tensor summed over the dimensions in which `shape` has been broadcast to
  /// its own.
  Value &sumTo(Value &x, const Shape &shape);
  /// Of [batch, channels, field…], the sum of each channel.
  Value &sumOfChannels(Value &x);
  Value &zerosLike(const TensorInfo &info);
  /// x where the condition holds, else 0.
  Value &where(Value &condition, Value &x) {
    return select(condition, x, scalar(x.info.type, 0));
  }
  /// 1 where the condition holds, else 0.
  Value &asNumber(Value &condition, DataType type) {
    return cast(condition, type);
  }

private:
  Op &forwardOp;
  GradientGraphs &graphs;
  std::vector<Value *> given;
  std::vector<bool> wanted;
  std::vector<Value *> found;
  /// Operands that the rule sees in another shape; null elsewhere.
  std::vector<Value *> linedUp;
  /// By result, whether the rule has asked for its gradient.
  std::vector<bool> asked;
  /// By operand, whether it has no gradient by nature.
  std::vector<bool> ended;
  bool isEnd = false;
};

} // namespace populus::popir

#endif
