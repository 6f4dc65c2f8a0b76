// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operators get a bound, and what padded tensors go through. An operator
// of the table below moves or converts elements one by one; where it moves the
// padded axis, the table says where to.

#include "lib/PopART/Import/Bounds.h"

#include "lib/PopART/Ops/Bounded/BoundedOp.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <algorithm>
#include <optional>

namespace populus::popir {

namespace {

using Axis = std::optional<std::size_t>;

/// Where the padded axis of input 0 is in the results; nothing where the
/// operator would do something with the padding.
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

/// By ONNX's type.
const std::map<std::string, Passing> Passings = {{"Cast", same},
                                                 {"Gather", gathered},
                                                 {"Identity", same},
                                                 {"Slice", sliced},
                                                 {"Split", split},
                                                 {"Squeeze", squeezed},
                                                 {"Transpose", transposed},
                                                 {"Unsqueeze", unsqueezed}};

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

void Bounds::add(const Op &op) {
  if (const auto *bounded = dynamic_cast<const BoundedOp *>(&op)) {
    refusePadded(op.inputs(), op.describe());
    const std::int64_t most = bounded->mostRows();
    if (bounded->bound() > most)
      popir::fail(ErrorKind::Usage, "--bound {}={}: there are {} at most",
                  op.output().name, bounded->bound(), most);
    const auto results = bounded->bounded();
    for (std::size_t i = 0; i != results.size(); ++i)
      if (op.hasOutput(i) && results[i].paddedAxis)
        paddings[&op.output(i)] = {*results[i].paddedAxis,
                                   op.outputs()[bounded->countResult()]};
    return;
  }
  const auto &inputs = op.inputs();
  const auto padded = std::ranges::find_if(inputs, [&](const Value *input) {
    return input && paddings.contains(input);
  });
  if (padded == inputs.end())
    return;
  const auto passing = Passings.find(op.id().type);
  const bool isKnown = op.id().domain.empty() && passing != Passings.end() &&
                       padded == inputs.begin();
  const Padding from = paddings.at(*padded);
  const Axis axis = isKnown ? passing->second(op, from.axis) : std::nullopt;
  if (!axis)
    fail(**padded, op.describe());
  refusePadded({inputs.begin() + 1, inputs.end()}, op.describe());
  for (const Value *output : op.outputs())
    if (output)
      paddings[output] = {*axis, from.count};
}

std::vector<PaddedResult> Bounds::addCounts(Graph &graph) const {
  std::vector<PaddedResult> found;
  const std::vector<GraphResult> results = graph.results();
  const auto isReturned = [&](const Value &value) {
    return std::ranges::any_of(graph.results(), [&](const GraphResult &result) {
      return result.value == &value;
    });
  };
  for (const GraphResult &result : results) {
    const auto padding = paddings.find(result.value);
    if (padding == paddings.end())
      continue;
    const auto [axis, count] = padding->second;
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
