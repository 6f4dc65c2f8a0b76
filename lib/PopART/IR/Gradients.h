// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The context of Op::differentiate: operands, results, and gradients of the
// results, and a builder for the operators that compute the gradients of the
// operands. Example: the rule of Sigmoid is dx = dy * y * (1 - y),
//   g.set(0, g.mul(g.dy(), g.mul(g.y(), g.from(1, g.y()))));

#ifndef POPULUS_LIB_POPART_IR_GRADIENTS_H
#define POPULUS_LIB_POPART_IR_GRADIENTS_H

#include "lib/PopART/IR/OpBuilder.h"

namespace populus::popir {

/// The backward graph of a forward graph; a separate graph, called after it.
struct GradientGraph {
  Graph *graph = nullptr;
  /// Values of the forward graph. Arguments of the backward graph: first the
  /// gradients of `provided`, then `forwardValues` (arguments and results of
  /// the forward graph, or values that will become results). Results of the
  /// backward graph: the gradients of `required`.
  std::vector<Value *> provided, forwardValues, required;
};

/// Makes gradient graphs, for operators that call graphs.
class GradientGraphs {
public:
  virtual ~GradientGraphs() = default;
  /// The gradients of those of `required` that have one. Memoised: the same
  /// request returns the same graph.
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

  /// True if the operator's gradient at ties and edges is PyTorch's.
  bool hasTorchTies() const;

  /// An operand of the operator, which must be there.
  Value &x(std::size_t index = 0);
  const Shape &shape(std::size_t index = 0) { return x(index).info.shape; }
  /// Reshapes an operand for the rule; the number of elements stays.
  void lineUp(std::size_t index, const Shape &shape);
  /// A result of the operator; an omitted optional result is added.
  Value &y(std::size_t index = 0);

  /// True if a gradient for the result was given.
  bool hasDy(std::size_t index) const {
    return index < given.size() && given[index];
  }
  /// The gradient of a result; zeros where it does not matter.
  Value &dy(std::size_t index = 0);

  /// True if the gradient of an operand is needed. A rule may set the others,
  /// too.
  bool wants(std::size_t index) const {
    return index < wanted.size() && wanted[index];
  }
  /// Sets the gradient of an operand. It is summed over the dimensions in which
  /// the operand was broadcast.
  void set(std::size_t index, Value &gradient);
  /// Null where none was set.
  Value *gradientOf(std::size_t index) const { return found[index]; }
  /// Declares that no result depends smoothly on an operand.
  void end(std::size_t index) { ended[index] = true; }
  /// Declares that for all operands without a gradient so far. Examples: step
  /// functions, which are flat, and Detach, whose purpose is to end the path.
  void endRest() { isEnd = true; }
  /// An Error if the rule neither set the gradient of an operand nor ended it,
  /// or ignored the gradient of a result. Otherwise weights would silently stay
  /// untrained.
  void checkComplete() const;

  /// A tensor summed over the dimensions in which `shape` has been broadcast to
  /// its own.
  Value &sumTo(Value &x, const Shape &shape);
  /// The sum of each channel of a tensor [batch, channels, field…].
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
  /// By result: true if the rule has asked for its gradient.
  std::vector<bool> asked;
  /// By operand: true if the rule declared that it has no gradient.
  std::vector<bool> ended;
  bool isEnd = false;
};

} // namespace populus::popir

#endif
