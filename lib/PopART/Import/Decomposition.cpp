// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of decompositions, and their builder.

#include "lib/PopART/Import/Decomposition.h"

#include "lib/PopART/IR/KnownValues.h"
#include "lib/PopART/Import/Body.h"
#include "lib/PopART/Support/Error.h"

#include <algorithm>
#include <map>

namespace populus::popir {

namespace {

// A local static, because constructors of other static objects use it.
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

int newestDecomposition(const OperatorId &id, int opset) {
  int newest = 0;
  if (auto found = table().find({id.domain, id.type}); found != table().end())
    for (int version : found->second.definition.versions)
      if (version <= opset)
        newest = std::max(newest, version);
  return newest;
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
  Value &tensor = input(index);
  if (const HostTensor *value = knownValue(tensor))
    return *value;
  failUnknown(tensor, fmt::format("node {}: its {} '{}' is computed when the "
                                  "model runs, and has to be known before",
                                  describe(), role, tensor.name));
}

std::vector<Value *> Expansion::make(OperatorId id, std::vector<Value *> inputs,
                                     Attributes attributes, std::size_t count) {
  const std::string stem = nodeSpec.name + '/' + id.type;
  return importer.makeOps(std::move(id), std::move(inputs),
                          std::move(attributes), stem, count);
}

Value &Expansion::makeConstant(HostTensor value) {
  return importer.makeConstant(std::move(value), nodeSpec.name + "/constant");
}

std::vector<Value *> Expansion::loop(std::int64_t most,
                                     const std::vector<Value *> &carried,
                                     const std::vector<Value *> &fixed,
                                     const Round &round) {
  return importer.makeLoop(most, carried, fixed, round, nodeSpec.name);
}

std::int64_t Expansion::normalAxis(std::int64_t axis, std::int64_t rank) const {
  if (axis < -rank || axis >= rank)
    failInput(fmt::format("its axis {} is none of a tensor with {} dimensions",
                          axis, rank));
  return axis < 0 ? axis + rank : axis;
}

} // namespace populus::popir
