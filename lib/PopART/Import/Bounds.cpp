// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects operators with a bound, and tracks padded tensors through operators
// that move or convert elements of one tensor, and operators that compute each
// row from one row of their operands. Tables map the padded axis of an operand
// to the axis of the result.

#include "lib/PopART/Import/Bounds.h"

#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/Ops/Bounded/BoundedOp.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <algorithm>
#include <optional>

namespace populus::popir {

namespace {

using Axis = std::optional<std::size_t>;

/// Maps the padded axis of input 0 to the axis of the results; nothing if the
/// operator would compute with the padding.
using Passing = Axis (*)(const Op &op, std::size_t axis);

Axis same(const Op & /*op*/, std::size_t axis) { return axis; }

std::int64_t axisOf(const Op &op, std::int64_t fallback) {
  return normalAxis(op, op.attributes().getInt("axis", fallback),
                    op.input(0).info.rank());
}

Axis transposed(const Op &op, std::size_t axis) {
  if (!op.attributes().has("perm"))
    return op.inputShape(0).size() - 1 - axis;
  const std::vector<std::int64_t> order = op.attributes().getInts("perm");
  return std::ranges::find(order, static_cast<std::int64_t>(axis)) -
         order.begin();
}

Axis squeezed(const Op &op, std::size_t axis) {
  const auto axes = axesOf(op);
  if (!axes)
    return std::nullopt; // an axis that is padded to 1 would go, too
  const auto gone = normalAxes(op, *axes, op.input(0).info.rank());
  const auto here = static_cast<std::int64_t>(axis);
  if (std::ranges::count(gone, here) != 0)
    return std::nullopt;
  return axis - std::ranges::count_if(gone, [&](auto i) { return i < here; });
}

Axis unsqueezed(const Op &op, std::size_t axis) {
  for (std::int64_t added :
       normalAxes(op, axesOf(op).value_or(std::vector<std::int64_t>()),
                  op.output().info.rank()))
    axis += static_cast<std::size_t>(added <= static_cast<std::int64_t>(axis));
  return axis;
}

Axis gathered(const Op &op, std::size_t axis) {
  const auto along = static_cast<std::size_t>(axisOf(op, 0));
  if (along == axis)
    return std::nullopt;
  return along < axis ? axis + op.inputShape(1).size() - 1 : axis;
}

Axis sliced(const Op &op, std::size_t axis) {
  const bool isOfAttributes = op.version() == 1;
  const auto list = [&](std::size_t index, const char *name) {
    return isOfAttributes ? op.attributes().getInts(name)
                          : op.constantInput(index, name).toInts();
  };
  std::vector<std::int64_t> axes;
  if (isOfAttributes ? op.attributes().has("axes") : op.hasInput(3))
    axes = normalAxes(op, list(3, "axes"), op.input(0).info.rank());
  else
    for (std::size_t i = 0; i != list(1, "starts").size(); ++i)
      axes.push_back(static_cast<std::int64_t>(i));
  const bool isCut =
      std::ranges::count(axes, static_cast<std::int64_t>(axis)) != 0;
  return isCut ? std::nullopt : Axis(axis);
}

Axis split(const Op &op, std::size_t axis) {
  return axisOf(op, 0) == static_cast<std::int64_t>(axis) ? std::nullopt
                                                          : Axis(axis);
}

/// A Reshape that keeps the rows and does not depend on their number.
Axis reshaped(const Op &op, std::size_t axis) {
  if (op.version() < 5)
    return std::nullopt;
  const Shape &from = op.inputShape(0), &to = op.output().info.shape;
  const std::vector<std::int64_t> wanted =
      op.constantInput(1, "shape").toInts();
  for (std::size_t place = 0; place != to.size(); ++place)
    if (to[place] == from[axis] && wanted[place] <= 0 &&
        product(to, 0, place) == product(from, 0, axis) &&
        product(to, place + 1, to.size()) ==
            product(from, axis + 1, from.size()))
      return place;
  return std::nullopt;
}

/// By ONNX's type.
const std::map<std::string, Passing> Passings = {
    {"Cast", same},           {"Gather", gathered},
    {"Identity", same},       {"Reshape", reshaped},
    {"Slice", sliced},        {"Split", split},
    {"Squeeze", squeezed},    {"Transpose", transposed},
    {"Unsqueeze", unsqueezed}};

// Maps the padded axis of an operand to the axis of the result, for operators
// that compute each row from one row of operands; nothing otherwise.

/// Elementwise, with NumPy's broadcasting: the row must be one of the result.
Axis aligned(const Op &op, std::size_t operand, std::size_t axis) {
  const Shape &from = op.inputShape(operand), &to = op.output().info.shape;
  const std::size_t place = to.size() - from.size() + axis;
  return to[place] == from[axis] ? Axis(place) : std::nullopt;
}

/// Gather with padded indices.
Axis lookedUp(const Op &op, std::size_t operand, std::size_t axis) {
  return operand == 1 ? Axis(static_cast<std::size_t>(axisOf(op, 0)) + axis)
                      : std::nullopt;
}

Axis lookedUpByVectors(const Op &op, std::size_t operand, std::size_t axis) {
  const bool isVector = axis + 1 == op.inputShape(operand).size();
  const bool isBatched = op.attributes().getInt("batch_dims", 0) != 0;
  return operand == 1 && !isVector && !isBatched ? Axis(axis) : std::nullopt;
}

Axis sideBySide(const Op &op, std::size_t /*operand*/, std::size_t axis) {
  return split(op, axis);
}

using Joining = Axis (*)(const Op &op, std::size_t operand, std::size_t axis);

/// By ONNX's type. Elementwise operators are not listed.
const std::map<std::string, Joining> Joinings = {
    {"Concat", sideBySide},
    {"Gather", lookedUp},
    {"GatherND", lookedUpByVectors}};

/// An integer division by padding, which is zero, could stop the run.
bool mayFail(const Op &op) {
  return (op.id().type == "Div" || op.id().type == "Mod") &&
         !isFloatingPoint(op.output().info.type);
}

/// True if every row reads the same elements of an unpadded operand.
bool isForAllRows(const Op &op, const Value &operand, std::size_t axis) {
  if (!op.isElementwise())
    return op.id().type != "Concat";
  const std::size_t rank = operand.info.shape.size();
  const std::size_t missing = op.output().info.shape.size() - rank;
  return axis < missing || operand.info.shape[axis - missing] == 1;
}

} // namespace

bool needsBound(const OperatorId &id, const std::vector<Value *> &inputs) {
  const BoundedForm *form = findBoundedForm(id);
  return form && std::ranges::any_of(form->knownInputs, [&](std::size_t i) {
           return i < inputs.size() && inputs[i] && !inputs[i]->isConstant();
         });
}

const BoundedForm *Bounds::formOf(const OperatorId &id,
                                  const std::vector<Value *> &inputs,
                                  const std::string &name) {
  if (!needsBound(id, inputs))
    return nullptr;
  if (options->bounds.contains(name))
    used.insert(name);
  else if (!options->boundsAll)
    return nullptr;
  return findBoundedForm(id);
}

OpSpec Bounds::specOf(const BoundedForm &form, const OpSpec &spec,
                      const std::string &name) const {
  OpSpec result = spec;
  result.id = newestOf("ai.graphcore", form.internalType);
  result.numOutputs = form.numResults;
  const auto given = options->bounds.find(name);
  if (given != options->bounds.end() && given->second != 0)
    result.attributes.set("bound", given->second);
  return result;
}

void Bounds::fail(const Value &tensor, const std::string &reader) const {
  throw ReadsPadding(
      ErrorKind::Unsupported,
      fmt::format("node {0} reads '{1}', which has a bound (--bound) and is "
                  "padded up to it: its result would depend on the padding. "
                  "Return '{1}' (--anchor {1}) and compute what follows "
                  "elsewhere",
                  reader, tensor.name));
}

void Bounds::refusePadded(const std::vector<Value *> &tensors,
                          const std::string &reader) const {
  for (const Value *tensor : tensors)
    if (tensor && paddings.contains(tensor))
      fail(*tensor, reader);
}

void Bounds::addBounded(const BoundedOp &op) {
  refusePadded(op.inputs(), op.describe());
  if (op.bound() > op.mostRows())
    popir::fail(ErrorKind::Usage, "--bound {}={}: there are {} at most",
                op.output().name, op.bound(), op.mostRows());
  const auto results = op.bounded();
  for (std::size_t i = 0; i != results.size(); ++i)
    if (op.hasOutput(i) && results[i].paddedAxis)
      paddings[&op.output(i)] = {*results[i].paddedAxis,
                                 op.outputs()[op.countResult()]};
}

/// The padding of the results, if all padded operands agree on axis and count,
/// and each row is computed from one row of them.
std::optional<Bounds::Padding> Bounds::joined(const Op &op) const {
  const auto axisIn = Joinings.find(op.id().type);
  const bool isListed = op.id().domain.empty() && axisIn != Joinings.end();
  const bool isElementwise =
      op.isElementwise() && op.outputs().size() == 1 && !mayFail(op);
  if (!isListed && !isElementwise)
    return std::nullopt;
  std::optional<Padding> result;
  for (std::size_t i = 0; i != op.inputs().size(); ++i) {
    const auto padding = paddings.find(op.inputs()[i]);
    if (padding == paddings.end())
      continue;
    const Axis axis =
        (isListed ? axisIn->second : aligned)(op, i, padding->second.axis);
    if (!axis || (result && (result->axis != *axis ||
                             result->count != padding->second.count)))
      return std::nullopt;
    result = {*axis, padding->second.count, false};
  }
  // An unpadded operand must be the same for all rows.
  for (const Value *input : op.inputs())
    if (input && !paddings.contains(input) &&
        !isForAllRows(op, *input, result->axis))
      return std::nullopt;
  return result;
}

void Bounds::add(const Op &op) {
  if (const auto *bounded = dynamic_cast<const BoundedOp *>(&op))
    return addBounded(*bounded);
  const auto &inputs = op.inputs();
  const auto padded = std::ranges::find_if(inputs, [&](const Value *input) {
    return input && paddings.contains(input);
  });
  if (padded == inputs.end())
    return;
  std::optional<Padding> result;
  const auto passing = Passings.find(op.id().type);
  const bool isMove = op.id().domain.empty() && passing != Passings.end();
  if (isMove && padded == inputs.begin() &&
      std::none_of(inputs.begin() + 1, inputs.end(), [&](const Value *input) {
        return paddings.contains(input);
      })) {
    const Padding from = paddings.at(*padded);
    if (const Axis axis = passing->second(op, from.axis))
      result = {*axis, from.count, from.isClear};
  } else {
    result = joined(op);
  }
  if (!result)
    fail(**padded, op.describe());
  for (const Value *output : op.outputs())
    if (output)
      paddings[output] = *result;
}

std::vector<PaddedResult> Bounds::addCounts(Graph &graph) const {
  std::vector<PaddedResult> found;
  const auto isReturned = [&](const Value &value) {
    return std::ranges::any_of(graph.results(), [&](const GraphResult &result) {
      return result.value == &value;
    });
  };
  for (std::size_t i = 0, size = graph.results().size(); i != size; ++i) {
    const GraphResult result = graph.results()[i];
    const auto padding = paddings.find(result.value);
    if (padding == paddings.end())
      continue;
    const auto [axis, count, isClear] = padding->second;
    if (!isClear)
      graph.setResult(i, GraphBuilder(graph, result.name)
                             .op("ClearPadding", {result.value, count},
                                 {{"axis", static_cast<std::int64_t>(axis)}},
                                 "ai.graphcore"));
    if (!isReturned(*count))
      graph.addResult(count->name, *count);
    found.push_back(
        {result.name, axis, result.value->info.shape[axis], count->name});
  }
  return found;
}

void Bounds::checkNames() const {
  for (const auto &[name, bound] : options->bounds)
    if (!used.contains(name))
      popir::fail(ErrorKind::Usage,
                  "--bound: '{}' is not the first result of a node whose "
                  "result has a size that is known when the model runs; such "
                  "nodes are {}",
                  name, fmt::join(boundedTypes(), ", "));
}

} // namespace populus::popir
