// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of decompositions, and what they build with.

#include "lib/PopART/Import/Decomposition.h"

#include "lib/PopART/Import/Body.h"
#include "lib/PopART/Support/Error.h"

#include <algorithm>
#include <map>

namespace populus::popir {

namespace {

// A function's static object, for it is used while others are constructed.
std::map<std::pair<std::string, std::string>, Decomposition> &table() {
  static std::map<std::pair<std::string, std::string>, Decomposition> map;
  return map;
}

} // namespace

RegisterDecomposition::RegisterDecomposition(std::string type,
                                             std::vector<int> versions,
                                             Expand expand,
                                             std::string domain) {
  auto key = std::pair(domain, type);
  table().emplace(
      std::move(key),
      Decomposition{{std::move(domain), std::move(type), std::move(versions)},
                    expand});
}

const Decomposition *findDecomposition(const OperatorId &id) {
  auto found = table().find({id.domain, id.type});
  if (found == table().end() ||
      std::ranges::count(found->second.definition.versions, id.version) == 0)
    return nullptr;
  return &found->second;
}

std::vector<const Decomposition *> allDecompositions() {
  std::vector<const Decomposition *> result;
  for (const auto &[key, decomposition] : table())
    result.push_back(&decomposition);
  return result;
}

std::string Expansion::describe() const {
  return fmt::format("{} '{}'", toString(nodeSpec.id), nodeSpec.name);
}

void Expansion::failInput(const std::string &text) const {
  popir::failInput("node {}: {}", describe(), text);
}

void Expansion::failUnsupported(const std::string &text) const {
  popir::failUnsupported("node {}: {}", describe(), text);
}

Value &Expansion::input(std::size_t index) const {
  if (!hasInput(index))
    failInput(fmt::format("its input {} is missing", index));
  return *inputTensors[index];
}

const HostTensor &Expansion::constantInput(std::size_t index,
                                           std::string_view role) const {
  const Value &tensor = input(index);
  if (!tensor.isConstant())
    failUnknown(tensor, fmt::format("node {}: its {} '{}' is computed when the "
                                    "model runs, and has to be known before",
                                    describe(), role, tensor.name));
  return *tensor.constant();
}

Value &Expansion::op(const std::string &type, std::vector<Value *> inputs,
                     Given given, const std::string &domain) {
  Attributes attributes;
  for (const auto &[name, value] : given)
    attributes.set(name, value);
  return *importer
              .makeOps({domain, type}, std::move(inputs), std::move(attributes),
                       nodeSpec.name + '/' + type, 1)
              .front();
}

Value &Expansion::sameAttributes(const std::string &type,
                                 std::vector<Value *> inputs) {
  return *importer
              .makeOps({"", type}, std::move(inputs), nodeSpec.attributes,
                       nodeSpec.name + '/' + type, 1)
              .front();
}

std::vector<Value *> Expansion::results(const std::string &type,
                                        std::vector<Value *> inputs,
                                        std::size_t count, Given given) {
  Attributes attributes;
  for (const auto &[name, value] : given)
    attributes.set(name, value);
  return importer.makeOps({"", type}, std::move(inputs), std::move(attributes),
                          nodeSpec.name + '/' + type, count);
}

Value &Expansion::constant(HostTensor value) {
  return importer.makeConstant(std::move(value), nodeSpec.name + "/constant");
}

Value &Expansion::scalar(DataType type, double value) {
  return constant(HostTensor::scalar(type, value));
}

Value &Expansion::ints(const std::vector<std::int64_t> &values) {
  return constant(HostTensor::ofInts(values));
}

Value &Expansion::cast(Value &x, DataType type) {
  if (x.info.type == type)
    return x;
  return op("Cast", {&x}, {{"to", std::int64_t(toOnnx(type))}});
}

Value &Expansion::reshape(Value &x, const Shape &shape) {
  if (x.info.shape == shape)
    return x;
  return op("Reshape", {&x, &ints(shape)}, {{"allowzero", std::int64_t(1)}});
}

Value &Expansion::transpose(Value &x, const std::vector<std::int64_t> &order) {
  return op("Transpose", {&x}, {{"perm", order}});
}

Value &Expansion::expand(Value &x, const Shape &shape) {
  if (x.info.shape == shape)
    return x;
  return op("Expand", {&x, &ints(shape)});
}

Value &Expansion::unsqueeze(Value &x, const std::vector<std::int64_t> &axes) {
  return op("Unsqueeze", {&x, &ints(axes)});
}

Value &Expansion::slice(Value &x, std::int64_t axis, std::int64_t begin,
                        std::int64_t end) {
  if (begin == 0 && end == x.info.shape[axis])
    return x;
  return op("Slice", {&x, &ints({begin}), &ints({end}), &ints({axis})});
}

Value &Expansion::concat(std::vector<Value *> parts, std::int64_t axis) {
  if (parts.size() == 1)
    return *parts.front();
  return op("Concat", std::move(parts), {{"axis", axis}});
}

Value &Expansion::reduce(const std::string &type, Value &x,
                         const std::vector<std::int64_t> &axes) {
  return op(type, {&x, &ints(axes)}, {{"keepdims", std::int64_t(1)}});
}

std::int64_t Expansion::normalAxis(std::int64_t axis, std::int64_t rank) const {
  if (axis < -rank || axis >= rank)
    failInput(fmt::format("its axis {} is none of a tensor with {} dimensions",
                          axis, rank));
  return axis < 0 ? axis + rank : axis;
}

} // namespace populus::popir
