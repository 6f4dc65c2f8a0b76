// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences of tensors and optional values. Their lengths and positions in them
// are known when the model is compiled, so that a sequence is only a list of
// names for tensors, and nothing of it is left after the import.

#include "lib/PopART/Import/Body.h"

#include "lib/PopART/IR/KnownValues.h"

#include <algorithm>

namespace populus::popir {

namespace {

/// The most parts of a sequence that is split; each is a tensor of its own.
constexpr std::int64_t MostParts = 65'536;

std::int64_t intAttribute(const onnx::NodeProto &node, const std::string &name,
                          std::int64_t fallback) {
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == name)
      return attribute.i();
  return fallback;
}

Attributes axisAttribute(std::int64_t axis) {
  Attributes attributes;
  attributes.set("axis", axis);
  return attributes;
}

} // namespace

std::shared_ptr<const Sequence>
Scope::findSequence(const std::string &name) const {
  if (auto found = sequences.find(name); found != sequences.end())
    return found->second;
  std::shared_ptr<const Sequence> outer =
      parent ? parent->findSequence(name) : nullptr;
  if (!outer || !capture)
    return outer;
  auto inner = std::make_shared<Sequence>(*outer);
  for (Value *&element : inner->elements)
    element = element ? capture(*element) : nullptr;
  return inner;
}

bool BodyImporter::readsSequence(const onnx::NodeProto &node,
                                 const Scope &scope) {
  return std::ranges::any_of(node.input(), [&](const std::string &name) {
    return scope.findSequence(name) != nullptr;
  });
}

/// The place that an input says, which counts from the end where it is
/// negative; `fallback` where there is no input.
std::int64_t BodyImporter::placeOf(const onnx::NodeProto &node, int index,
                                   std::int64_t size, std::int64_t fallback,
                                   const Scope &scope) const {
  if (index >= node.input_size() || node.input(index).empty())
    return fallback;
  const std::vector<std::int64_t> values =
      knownInput(node, index, "position", scope).toInts();
  const std::int64_t place = values.size() != 1 ? size + 1
                             : values[0] < 0    ? values[0] + size
                                                : values[0];
  if (place < 0 || place > fallback)
    failInput("node '{}' ({}): a sequence of {} tensors does not have the "
              "position {}",
              nodeName(node), node.op_type(), size,
              values.empty() ? 0 : values[0]);
  return place;
}

const HostTensor &BodyImporter::knownInput(const onnx::NodeProto &node,
                                           int index, const char *role,
                                           const Scope &scope) const {
  const std::optional<Value *> tensor = scope.find(node.input(index));
  if (!tensor || !*tensor)
    failInput("node '{}' ({}): its {} is not a tensor", nodeName(node),
              node.op_type(), role);
  if (const HostTensor *value = knownValue(**tensor))
    return *value;
  failUnknown(**tensor,
              fmt::format("node '{}' ({}): its {} '{}' is computed when the "
                          "model runs, and has to be known before",
                          nodeName(node), node.op_type(), role,
                          (*tensor)->name));
}

void BodyImporter::addSequenceOp(const std::string &type,
                                 const onnx::NodeProto &node, Scope &scope) {
  const std::string first = node.input_size() > 0 ? node.input(0) : "";
  const std::shared_ptr<const Sequence> given = scope.findSequence(first);
  auto result = std::make_shared<Sequence>();
  if (given)
    *result = *given;
  std::vector<Value *> &elements = result->elements;
  const auto size = static_cast<std::int64_t>(elements.size());
  const std::string output = node.output_size() > 0 ? node.output(0) : "";
  auto bindTensor = [&](Value &tensor) { scope.bind(output, &tensor); };

  if (type == "SequenceEmpty")
    return scope.bindSequence(output, result);
  if (type == "SequenceConstruct") {
    elements = inputsOf(node, scope);
    return scope.bindSequence(output, result);
  }
  if (type == "SplitToSequence")
    return addSplit(node, scope);
  if (type == "SequenceMap")
    return addSequenceMap(node, scope);
  if (type == "OptionalHasElement") {
    const bool has = !first.empty() && !(given && given->isNothing);
    return bindTensor(
        makeConstant(HostTensor::scalar(DataType::Bool, has), nodeName(node)));
  }
  if (type == "Optional" && first.empty()) {
    result->isNothing = true;
    return scope.bindSequence(output, result);
  }
  if (type == "Optional" || type == "OptionalGetElement" ||
      type == "Identity") {
    if (given && given->isNothing && type == "OptionalGetElement")
      failInput("node '{}' ({}): there is no element", nodeName(node),
                node.op_type());
    if (given)
      return scope.bindSequence(output, given);
    return bindTensor(*required(inputsOf(node, scope), 0, node));
  }
  if (!given || given->isNothing)
    failInput("node '{}' ({}): '{}' is not a sequence of tensors",
              nodeName(node), node.op_type(), first);
  if (type == "SequenceLength")
    return bindTensor(makeConstant(
        HostTensor::scalar(DataType::Int64, double(size)), nodeName(node)));
  if (type == "SequenceAt") {
    const std::int64_t place = placeOf(node, 1, size, size - 1, scope);
    return bindTensor(*elements.at(place));
  }
  if (type == "SequenceErase") {
    if (size == 0)
      failInput("node '{}' ({}): the sequence is empty", nodeName(node),
                node.op_type());
    elements.erase(elements.begin() + placeOf(node, 1, size, size - 1, scope));
    return scope.bindSequence(output, result);
  }
  if (type == "SequenceInsert") {
    const std::optional<Value *> tensor =
        scope.find(node.input_size() > 1 ? node.input(1) : "");
    if (!tensor || !*tensor)
      failInput("node '{}' ({}): what it inserts is not a tensor",
                nodeName(node), node.op_type());
    elements.insert(elements.begin() + placeOf(node, 2, size, size, scope),
                    *tensor);
    return scope.bindSequence(output, result);
  }
  if (type != "ConcatFromSequence")
    failUnsupported("node '{}' ({}) reads a sequence ('{}'), which is not "
                    "supported",
                    nodeName(node), node.op_type(), first);
  if (size == 0)
    failInput("node '{}' ({}): the sequence is empty", nodeName(node),
              node.op_type());
  const bool isNew = intAttribute(node, "new_axis", 0) != 0;
  std::int64_t axis = intAttribute(node, "axis", 0);
  if (axis < 0)
    axis += elements[0]->info.rank() + (isNew ? 1 : 0);
  bindTensor(
      isNew ? stacked(elements, axis, nodeName(node))
            : makeOp("Concat", elements, axisAttribute(axis), nodeName(node)));
}

/// Parts of one size, or of given sizes; or slices, that lose their dimension
/// without keepdims.
void BodyImporter::addSplit(const onnx::NodeProto &node, Scope &scope) {
  Value &x = *required({scope.find(node.input(0)).value_or(nullptr)}, 0, node);
  const std::int64_t rank = x.info.rank();
  std::int64_t axis = intAttribute(node, "axis", 0);
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank)
    failInput("node '{}' ({}): its axis is none of a tensor {}", nodeName(node),
              node.op_type(), toString(x.info));
  const std::int64_t extent = x.info.shape[axis];
  const bool hasSizes = node.input_size() > 1 && !node.input(1).empty();
  const auto checkParts = [&](std::int64_t parts) {
    if (parts > MostParts)
      failUnsupported("node '{}' ({}) makes {} parts, and {} at most are "
                      "supported",
                      nodeName(node), node.op_type(), parts, MostParts);
  };
  std::vector<std::int64_t> sizes;
  if (!hasSizes) {
    checkParts(extent);
    sizes.assign(extent, 1);
  } else {
    const HostTensor &given = knownInput(node, 1, "split", scope);
    sizes = given.toInts();
    if (given.shape().empty()) {
      const std::int64_t step = std::max<std::int64_t>(1, sizes[0]);
      checkParts(extent / step);
      sizes.assign((extent + step - 1) / step, step);
      if (!sizes.empty())
        sizes.back() = extent - step * (std::ssize(sizes) - 1);
    }
  }
  auto result = std::make_shared<Sequence>();
  std::int64_t begin = 0;
  for (std::int64_t part : sizes) {
    if (part < 0 || part > extent - begin)
      failInput("node '{}' ({}): its sizes do not split {} elements",
                nodeName(node), node.op_type(), extent);
    result->elements.push_back(
        !hasSizes && intAttribute(node, "keepdims", 1) == 0
            ? &elementOf(x, axis, begin, nodeName(node))
            : &makeOp("Slice",
                      {&x,
                       &makeConstant(HostTensor::ofInts({begin}), node.name()),
                       &makeConstant(HostTensor::ofInts({begin + part}),
                                     node.name()),
                       &makeConstant(HostTensor::ofInts({axis}), node.name())},
                      {}, nodeName(node)));
    begin += part;
  }
  if (begin != extent)
    failInput("node '{}' ({}): its sizes do not split {} elements",
              nodeName(node), node.op_type(), extent);
  scope.bindSequence(node.output(0), result);
}

/// The body once for each element.
void BodyImporter::addSequenceMap(const onnx::NodeProto &node, Scope &scope) {
  const onnx::GraphProto *body = nullptr;
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.name() == "body" && attribute.has_g())
      body = &attribute.g();
  const std::shared_ptr<const Sequence> given =
      scope.findSequence(node.input(0));
  if (!body || !given)
    failInput("node '{}' ({}): it has no body or no sequence", nodeName(node),
              node.op_type());
  std::vector<std::shared_ptr<Sequence>> results;
  for (int i = 0; i != node.output_size(); ++i)
    results.push_back(std::make_shared<Sequence>());
  for (std::size_t i = 0; i != given->elements.size(); ++i) {
    std::vector<Value *> arguments;
    for (const std::string &name : node.input()) {
      const std::shared_ptr<const Sequence> list = scope.findSequence(name);
      if (list && i >= list->elements.size())
        failInput("node '{}' ({}): its sequences differ in length",
                  nodeName(node), node.op_type());
      arguments.push_back(list ? list->elements[i]
                               : scope.find(name).value_or(nullptr));
    }
    const std::vector<Value *> found = addBody(
        *body, arguments, scope, fmt::format("{}/{}", nodeName(node), i));
    for (std::size_t k = 0; k != results.size() && k != found.size(); ++k)
      results[k]->elements.push_back(found[k]);
  }
  for (std::size_t k = 0; k != results.size(); ++k)
    scope.bindSequence(node.output(static_cast<int>(k)), results[k]);
}

} // namespace populus::popir
