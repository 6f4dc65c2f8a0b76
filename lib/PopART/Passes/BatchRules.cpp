// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule for each family of operators, by type; see BatchRules.h. An operator
// without a rule gets the whole batch, which is always right.

#include "lib/PopART/Passes/BatchRules.h"

#include "lib/PopART/Ops/Losses/Losses.h"
#include "lib/PopART/Ops/Normalization/BatchNormalization.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

namespace populus::popir {

namespace {

using Slices = std::optional<SlicedOp>;

/// One operator, and the operands that are cut already.
class Rules {
public:
  Rules(const Op &op, std::int64_t batch, const BatchAxes &operands)
      : op(op), batch(batch), operands(operands) {
    result.inputs.resize(op.inputs().size());
    result.outputs.resize(op.outputs().size());
  }

  Slices run() {
    if (!firstCut())
      return std::nullopt;
    if (op.isElementwise())
      return elementwise();
    const auto rule = table().find(op.id().type);
    if (rule == table().end())
      return std::nullopt;
    return rule->second(*this);
  }

private:
  using Rule = std::function<Slices(Rules &)>;

  static const std::map<std::string, Rule> &table() {
    static const Rule first = [](Rules &r) { return r.alongFirst(); };
    static const Rule afterwards = [](Rules &r) { return r.beforeAxis(); };
    static const Rule other = [](Rules &r) { return r.otherAxis(); };
    static const Rule shapes = [](Rules &r) { return r.reshaped(); };
    static const Rule same = [](Rules &r) { return r.alongAny(); };
    static const Rule reduction = [](Rules &r) { return r.reduced(); };
    static const Rule loss = [](Rules &r) { return r.loss(); };
    static const Rule pooled = [](Rules &r) {
      r.result.form = SlicedOp::ShapeAttribute;
      return r.alongFirst();
    };
    static const std::map<std::string, Rule> rules = {
        {"AddBias", first},
        {"AveragePool", first},
        {"BatchNormalization", [](Rules &r) { return r.batchNorm(); }},
        {"Concat", [](Rules &r) { return r.concatenated(); }},
        {"Conv", first},
        {"ConvTranspose", first},
        {"ConvWeightGrad", [](Rules &r) { return r.sumOfFirst(); }},
        {"Detach", same},
        {"Dropout", [](Rules &r) { return r.dropout(); }},
        {"Expand", [](Rules &r) { return r.expanded(); }},
        {"Flatten", shapes},
        {"Gather", [](Rules &r) { return r.gathered(); }},
        {"Gemm", [](Rules &r) { return r.gemm(); }},
        {"GlobalAveragePool", first},
        {"GlobalLpPool", first},
        {"GlobalMaxPool", first},
        {"GroupNormalization", [](Rules &r) { return r.groupNorm(); }},
        {"Identity", same},
        {"IdentityLoss", loss},
        {"InstanceNormalization", first},
        {"L1", loss},
        {"LRN", first},
        {"LayerNormalization", afterwards},
        {"LogSoftmax", [](Rules &r) { return r.softmax(); }},
        {"LpPool", first},
        {"MatMul", [](Rules &r) { return r.matMul(); }},
        {"MaxPool", [](Rules &r) { return r.maxPool(); }},
        {"MaxPoolGrad", pooled},
        {"Nll", loss},
        {"NllGrad", [](Rules &r) { return r.nllGradient(); }},
        {"Nop", same},
        {"Pad", [](Rules &r) { return r.padded(); }},
        {"ReduceL1", reduction},
        {"ReduceL2", reduction},
        {"ReduceMax", reduction},
        {"ReduceMean", reduction},
        {"ReduceMin", reduction},
        {"ReduceProd", reduction},
        {"ReduceSum", reduction},
        {"ReduceSumSquare", reduction},
        {"Reshape", shapes},
        {"ScatterND", [](Rules &r) { return r.scattered(); }},
        {"Slice", [](Rules &r) { return r.sliced(); }},
        {"Softmax", [](Rules &r) { return r.softmax(); }},
        {"Split", other},
        {"Squeeze", shapes},
        {"SumPoolGrad", pooled},
        {"Transpose", [](Rules &r) { return r.transposed(); }},
        {"Unsqueeze", shapes},
    };
    return rules;
  }

  // ---- Access ---------------------------------------------------------------

  /// The axis of operand `i`, or nothing.
  std::optional<BatchAxis> at(std::size_t i) const {
    return i < operands.size() && op.hasInput(i) ? operands[i] : std::nullopt;
  }
  std::int64_t attribute(const char *name, std::int64_t otherwise) const {
    return op.attributes().getInt(name, otherwise);
  }
  bool hasExtent(const Value &value, const BatchAxis &axis) const {
    return axis.axis < value.info.shape.size() &&
           value.info.shape[axis.axis] == batch * axis.elements;
  }

  /// Cuts an operand. False if it is cut otherwise already, or cannot be.
  bool cut(std::size_t i, const BatchAxis &axis) {
    if (!op.hasInput(i) || !hasExtent(op.input(i), axis) ||
        (at(i) && at(i) != axis))
      return false;
    result.inputs[i] = axis;
    return true;
  }
  void cutOutput(std::size_t i, const BatchAxis &axis) {
    if (op.hasOutput(i))
      result.outputs[i] = axis;
  }

  /// The finished rule, unless an operand that is cut is to be read whole, or a
  /// result has not the extent that it should have.
  Slices finished() const {
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      if (at(i) && !result.inputs[i])
        return std::nullopt;
    for (std::size_t i = 0; i != op.outputs().size(); ++i)
      if (op.hasOutput(i) && result.outputs[i] &&
          !hasExtent(op.output(i), *result.outputs[i]))
        return std::nullopt;
    return result;
  }

  /// The first operand that is cut.
  std::optional<std::size_t> firstCut() const {
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      if (at(i))
        return i;
    return std::nullopt;
  }

  // ---- Rules ----------------------------------------------------------------

  /// The axis of an operand, counted in the result, to which it is broadcast.
  Slices elementwise() {
    const auto rank = op.output().info.shape.size();
    const std::size_t i = *firstCut();
    const BatchAxis axis = {at(i)->axis + rank - op.inputShape(i).size(),
                            at(i)->elements};
    if (!broadcast(0, op.inputs().size(), axis, rank))
      return std::nullopt;
    cutOutput(0, axis);
    return finished();
  }

  /// Cuts those of some operands that have the axis of a result of `rank`.
  bool broadcast(std::size_t begin, std::size_t end, const BatchAxis &axis,
                 std::size_t rank) {
    for (std::size_t i = begin; i != end; ++i) {
      if (!op.hasInput(i))
        continue;
      const Shape &shape = op.inputShape(i);
      if (shape.size() > rank)
        return false;
      const std::size_t missing = rank - shape.size();
      if (axis.axis < missing || shape[axis.axis - missing] == 1)
        continue; // the same for all
      if (!cut(i, {axis.axis - missing, axis.elements}))
        return false;
    }
    return true;
  }

  /// The data is cut along axis 0; results too. All operands of a gradient are
  /// data.
  Slices alongFirst() {
    const bool isGradient = result.form == SlicedOp::ShapeAttribute;
    const BatchAxis first = *at(*firstCut());
    if (first.axis != 0)
      return std::nullopt;
    for (std::size_t i = 0; i != (isGradient ? op.inputs().size() : 1); ++i)
      if (!cut(i, first))
        return std::nullopt;
    for (std::size_t i = 0; i != op.outputs().size(); ++i)
      cutOutput(i, first);
    return finished();
  }

  /// Indices of a pool count from the beginning of the batch.
  Slices maxPool() { return op.hasOutput(1) ? std::nullopt : alongFirst(); }

  Slices dropout() { return op.isIdentity() ? alongAny() : std::nullopt; }

  Slices alongAny() {
    if (!at(0) || op.hasOutput(1))
      return std::nullopt;
    cut(0, *at(0));
    cutOutput(0, *at(0));
    return finished();
  }

  Slices sumOfFirst() {
    const BatchAxis axis = *at(*firstCut());
    if (axis.axis != 0 || !cut(0, axis) || !cut(1, axis))
      return std::nullopt;
    return finished();
  }

  Slices batchNorm() {
    const auto *norm = dynamic_cast<const BatchNormalization *>(&op);
    return norm && !norm->isTraining() ? alongFirst() : std::nullopt;
  }

  /// Statistics have a row for each group of a batch element.
  Slices groupNorm() {
    const auto first = at(0);
    if (!first || first->axis != 0 || first->elements != 1 || !cut(0, *first))
      return std::nullopt;
    cutOutput(0, *first);
    for (std::size_t i : {1, 2})
      if (op.hasOutput(i))
        cutOutput(i, {0, op.output(i).info.numElements() / batch});
    return finished();
  }

  /// Dimensions from `axis` on are one row.
  Slices beforeAxis() {
    const std::int64_t axis =
        normalAxis(op, attribute("axis", -1), op.input(0).info.rank());
    if (!at(0) || static_cast<std::int64_t>(at(0)->axis) >= axis)
      return std::nullopt;
    cut(0, *at(0));
    for (std::size_t i : {1, 2})
      if (op.hasInput(i) &&
          op.inputShape(i).size() + at(0)->axis >= op.inputShape(0).size())
        return std::nullopt; // its scale differs by batch element
    for (std::size_t i = 0; i != op.outputs().size(); ++i)
      cutOutput(i, *at(0));
    return finished();
  }

  Slices softmax() {
    const bool isOld = op.version() < 13;
    const std::int64_t axis = normalAxis(op, attribute("axis", isOld ? 1 : -1),
                                         op.input(0).info.rank());
    const auto cutAt = static_cast<std::int64_t>(at(0)->axis);
    if (isOld ? cutAt >= axis : cutAt == axis)
      return std::nullopt;
    return alongAny();
  }

  /// One axis is special, and another one is cut.
  Slices otherAxis() {
    const std::int64_t axis =
        normalAxis(op, attribute("axis", 0), op.input(0).info.rank());
    if (!at(0) || static_cast<std::int64_t>(at(0)->axis) == axis)
      return std::nullopt;
    cut(0, *at(0));
    for (std::size_t i = 0; i != op.outputs().size(); ++i)
      cutOutput(i, *at(0));
    return finished();
  }

  Slices concatenated() {
    const BatchAxis first = *at(*firstCut());
    const std::int64_t axis =
        normalAxis(op, attribute("axis", 1), op.input(0).info.rank());
    if (static_cast<std::int64_t>(first.axis) == axis)
      return std::nullopt;
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      if (!cut(i, first))
        return std::nullopt;
    cutOutput(0, first);
    return finished();
  }

  /// The batch stays the slowest of what follows the same dimensions.
  Slices reshaped() {
    if (!at(0) || op.output().info.numElements() == 0)
      return std::nullopt;
    const Shape &from = op.inputShape(0), &to = op.output().info.shape;
    const std::int64_t before = product(from, 0, at(0)->axis);
    std::int64_t sofar = 1;
    for (std::size_t i = 0; i != to.size() && sofar <= before; sofar *= to[i++])
      if (sofar == before && to[i] % batch == 0) {
        cut(0, *at(0));
        cutOutput(0, {i, to[i] / batch});
        result.form = SlicedOp::Reshaped;
        return finished();
      }
    return std::nullopt;
  }

  Slices expanded() {
    if (!at(0))
      return std::nullopt;
    cut(0, *at(0));
    cutOutput(0, {at(0)->axis + op.output().info.shape.size() -
                      op.inputShape(0).size(),
                  at(0)->elements});
    result.form = SlicedOp::Expanded;
    return finished();
  }

  Slices transposed() {
    std::vector<std::int64_t> order = op.attributes().getInts("perm");
    const std::size_t rank = op.inputShape(0).size();
    for (std::size_t i = 0; order.size() < rank; ++i)
      order.push_back(static_cast<std::int64_t>(rank - 1 - i));
    cut(0, *at(0));
    const auto place =
        std::ranges::find(order, static_cast<std::int64_t>(at(0)->axis));
    cutOutput(
        0, {static_cast<std::size_t>(place - order.begin()), at(0)->elements});
    return finished();
  }

  /// Bounds may concern other axes only.
  Slices sliced() {
    if (!at(0))
      return std::nullopt;
    std::vector<std::int64_t> axes = op.attributes().getInts("axes");
    if (op.hasInput(3) && op.input(3).isConstant())
      axes = op.input(3).constant()->toInts();
    if (axes.empty() || concerns(axes, *at(0)))
      return std::nullopt;
    return alongAny();
  }

  bool concerns(const std::vector<std::int64_t> &axes,
                const BatchAxis &axis) const {
    const std::int64_t rank = op.input(0).info.rank();
    const auto place = static_cast<std::int64_t>(axis.axis);
    return std::ranges::any_of(axes, [&](std::int64_t each) {
      return (each < 0 ? each + rank : each) == place;
    });
  }

  Slices padded() {
    if (!at(0) || op.hasInput(3))
      return std::nullopt;
    std::vector<std::int64_t> pads = op.attributes().getInts("pads");
    if (op.hasInput(1) && op.input(1).isConstant())
      pads = op.input(1).constant()->toInts();
    const std::size_t rank = op.inputShape(0).size(), axis = at(0)->axis;
    if (pads.size() != 2 * rank || pads[axis] != 0 || pads[axis + rank] != 0)
      return std::nullopt;
    return alongAny();
  }

  Slices gathered() {
    const std::int64_t signedAxis =
        normalAxis(op, attribute("axis", 0), op.input(0).info.rank());
    const auto axis = static_cast<std::size_t>(signedAxis);
    if (at(0) && at(1))
      return std::nullopt;
    if (at(1)) {
      cut(1, *at(1));
      cutOutput(0, {axis + at(1)->axis, at(1)->elements});
      return finished();
    }
    if (at(0)->axis == axis)
      return std::nullopt;
    cut(0, *at(0));
    const std::size_t added = op.inputShape(1).size();
    cutOutput(0, {at(0)->axis < axis ? at(0)->axis : at(0)->axis + added - 1,
                  at(0)->elements});
    return finished();
  }

  /// Rows that are added to zeros.
  Slices scattered() {
    if (op.attributes().getString("reduction", "none") != "add" ||
        !isZeros(op.input(0)) || at(0))
      return std::nullopt;
    const BatchAxis axis = *at(*firstCut());
    if (axis.axis + 1 >= op.inputShape(1).size() || !cut(1, axis) ||
        !cut(2, axis))
      return std::nullopt;
    return finished();
  }

  // ---- Products -------------------------------------------------------------

  Slices matMul() {
    const Shape &a = op.inputShape(0), &b = op.inputShape(1);
    const std::size_t rank = op.output().info.shape.size();
    if (a.size() < 2 || b.size() < 2)
      return std::nullopt;
    const std::size_t i = *firstCut();
    const std::size_t own = op.inputShape(i).size();
    const BatchAxis axis = {at(i)->axis + rank - own, at(i)->elements};
    const bool isRow = axis.axis == rank - 2, isColumn = axis.axis == rank - 1;
    if (!isRow && !isColumn) { // many products
      if (!broadcast(0, 2, axis, rank))
        return std::nullopt;
      cutOutput(0, axis);
    } else if (isRow != (i == 0)) { // the terms of each element's sum
      if (!cut(0, {a.size() - 1, axis.elements}) ||
          !cut(1, {b.size() - 2, axis.elements}))
        return std::nullopt;
    } else {
      cut(i, *at(i));
      cutOutput(0, axis);
    }
    return finished();
  }

  Slices gemm() {
    const bool transposed[] = {attribute("transA", 0) != 0,
                               attribute("transB", 0) != 0};
    const std::size_t i = *firstCut();
    if (i == 2)
      return std::nullopt;
    const bool isRow = (at(i)->axis == 0) != transposed[i];
    if (isRow != (i == 0)) {
      if (op.hasInput(2) ||
          !cut(0, {transposed[0] ? 0U : 1U, at(i)->elements}) ||
          !cut(1, {transposed[1] ? 1U : 0U, at(i)->elements}))
        return std::nullopt;
      return finished();
    }
    cut(i, *at(i));
    const BatchAxis axis = {i, at(i)->elements};
    if (!broadcast(2, op.inputs().size(), axis, 2))
      return std::nullopt;
    cutOutput(0, axis);
    return finished();
  }

  // ---- Reductions and losses ------------------------------------------------

  std::vector<std::int64_t> reducedAxes() const {
    if (op.hasInput(1))
      return op.constantInput(1, "list of axes").toInts();
    return op.attributes().getInts("axes");
  }

  Slices reduced() {
    if (!at(0))
      return std::nullopt;
    const std::vector<std::int64_t> axes = reducedAxes();
    cut(0, *at(0));
    if (axes.empty() || concerns(axes, *at(0)))
      return combined(op.id().type);
    std::size_t axis = at(0)->axis;
    if (attribute("keepdims", 1) == 0)
      for (std::size_t i = 0; i != at(0)->axis; ++i)
        if (concerns(axes, {i, 1}))
          --axis;
    cutOutput(0, {axis, at(0)->elements});
    return finished();
  }

  Slices combined(const std::string &reduction) {
    if (attribute("noop_with_empty_axes", 0) != 0)
      return std::nullopt;
    if (reduction == "ReduceMean")
      result.combination = SlicedOp::Mean;
    else if (reduction != "ReduceSum" && reduction != "ReduceL1" &&
             reduction != "ReduceSumSquare")
      return std::nullopt;
    return finished();
  }

  /// Labels lack the last dimension of the probabilities.
  Slices loss() {
    const BatchAxis axis = *at(*firstCut());
    const LossReduction reduction = lossReduction(op);
    if (reduction == LossReduction::Mean && op.attributes().has("ignoreIndex"))
      return std::nullopt; // by the number of other labels in the whole batch
    if (!cutRows(axis))
      return std::nullopt;
    if (reduction == LossReduction::None)
      cutOutput(0, axis);
    else if (reduction == LossReduction::Mean)
      result.combination = SlicedOp::Mean;
    return finished();
  }

  Slices nllGradient() {
    const BatchAxis axis = *at(*firstCut());
    if (!cutRows(axis))
      return std::nullopt;
    cutOutput(0, axis);
    return finished();
  }

  /// Cuts all operands of a loss along a dimension that all of them have.
  bool cutRows(const BatchAxis &axis) {
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      if (op.hasInput(i) && !cut(i, axis))
        return false;
    return op.inputs().size() == 1 || axis.axis + 1 < op.inputShape(0).size();
  }

  const Op &op;
  const std::int64_t batch;
  const BatchAxes &operands;
  SlicedOp result;
};

} // namespace

std::optional<SlicedOp> slicesOf(const Op &op, std::int64_t batch,
                                 const BatchAxes &operands) {
  if (op.isStateful() || op.hasEffect() || !op.callees().empty() ||
      !op.bodies().empty() || !op.runsAfter().empty())
    return std::nullopt;
  return Rules(op, batch, operands).run();
}

} // namespace populus::popir
