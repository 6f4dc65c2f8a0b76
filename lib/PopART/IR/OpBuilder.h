// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builder of operators, used by decompositions of the import, gradients, and
// optimizer updates. Example: b.add(x, 1) makes an Add and returns its result.
// Each call makes one operator, of the newest registered version; the type and
// shape of its result are known at once.

#ifndef POPULUS_LIB_POPART_IR_OPBUILDER_H
#define POPULUS_LIB_POPART_IR_OPBUILDER_H

#include "lib/PopART/IR/Graph.h"
#include "lib/PopART/IR/Op.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace populus::popir {

class OpBuilder {
public:
  OpBuilder() = default;
  OpBuilder(const OpBuilder &) = delete;
  OpBuilder &operator=(const OpBuilder &) = delete;
  virtual ~OpBuilder() = default;

  using Given = std::initializer_list<std::pair<const char *, AttributeValue>>;
  Value &op(const std::string &type, std::vector<Value *> inputs,
            Given attributes = {}, const std::string &domain = {});
  /// An operator with the attributes of another one.
  Value &opLike(const std::string &type, std::vector<Value *> inputs,
                Attributes attributes, const std::string &domain = {});
  /// An operator with several results.
  std::vector<Value *> results(const std::string &type,
                               std::vector<Value *> inputs, std::size_t count,
                               Given attributes = {},
                               const std::string &domain = {});
  Value &constant(HostTensor value);
  Value &scalar(DataType type, double value);
  Value &ints(const std::vector<std::int64_t> &values);

  // Shorthands of common operators.
  Value &cast(Value &x, DataType type);
  Value &reshape(Value &x, const Shape &shape);
  Value &transpose(Value &x, const std::vector<std::int64_t> &order);
  Value &expand(Value &x, const Shape &shape);
  Value &unsqueeze(Value &x, const std::vector<std::int64_t> &axes);
  /// Elements [begin, end) of one axis.
  Value &slice(Value &x, std::int64_t axis, std::int64_t begin,
               std::int64_t end);
  /// Zeros before and behind each dimension; negative amounts cut off.
  Value &pad(Value &x, const std::vector<std::int64_t> &lower,
             const std::vector<std::int64_t> &upper);
  Value &concat(std::vector<Value *> parts, std::int64_t axis);
  Value &add(Value &a, Value &b) { return op("Add", {&a, &b}); }
  Value &sub(Value &a, Value &b) { return op("Sub", {&a, &b}); }
  Value &mul(Value &a, Value &b) { return op("Mul", {&a, &b}); }
  Value &div(Value &a, Value &b) { return op("Div", {&a, &b}); }
  Value &neg(Value &a) { return op("Neg", {&a}); }
  Value &sqrt(Value &a) { return op("Sqrt", {&a}); }
  Value &square(Value &a) { return op("Mul", {&a, &a}); }
  Value &matMul(Value &a, Value &b) { return op("MatMul", {&a, &b}); }
  /// a + b, b being a constant of a's type.
  Value &add(Value &a, double b) { return add(a, scalar(a.info.type, b)); }
  Value &mul(Value &a, double b) { return mul(a, scalar(a.info.type, b)); }
  /// `b` - a.
  Value &from(double b, Value &a) { return sub(scalar(a.info.type, b), a); }
  /// ReduceSum, ReduceMax and others; the axes stay with the extent 1.
  Value &reduce(const std::string &type, Value &x,
                const std::vector<std::int64_t> &axes);
  /// Reduces all elements to a scalar.
  Value &reduceAll(const std::string &type, Value &x);
  /// Elements of `a` where the condition holds, else of `b`.
  Value &select(Value &condition, Value &a, Value &b) {
    return op("Where", {&condition, &a, &b});
  }

protected:
  /// Adds an operator. The version of `id` is ignored.
  virtual std::vector<Value *> make(OperatorId id, std::vector<Value *> inputs,
                                    Attributes attributes,
                                    std::size_t count) = 0;
  virtual Value &makeConstant(HostTensor value) = 0;
};

/// Adds operators to a graph, in front of one of its operators or at the end.
/// Their names begin with `stem`; all get the given placement. Operators on
/// constants with small results are folded.
class GraphBuilder : public OpBuilder {
public:
  explicit GraphBuilder(Graph &graph, std::string stem = {},
                        Placement placement = {}, Op *before = nullptr)
      : target(graph), stem(std::move(stem)), place(placement), next(before) {}

  Graph &graph() { return target; }

  /// Adds an operator that was made elsewhere, with all of its results.
  std::vector<Value *> addOp(std::unique_ptr<Op> op,
                             std::vector<Value *> inputs);

protected:
  std::vector<Value *> make(OperatorId id, std::vector<Value *> inputs,
                            Attributes attributes, std::size_t count) override;
  Value &makeConstant(HostTensor value) override;

private:
  /// With as many results as are asked for, or all.
  Op &append(std::unique_ptr<Op> op, std::vector<Value *> inputs,
             std::optional<std::size_t> count);

  Graph &target;
  std::string stem;
  Placement place;
  Op *next;
};

} // namespace populus::popir

#endif
