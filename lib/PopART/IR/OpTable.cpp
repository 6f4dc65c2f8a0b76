// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operator table, filled by static objects before main() runs.

#include "lib/PopART/IR/OpTable.h"

#include "lib/PopART/Support/Error.h"

#include <algorithm>
#include <limits>
#include <map>

namespace populus::popir {

// A function's static object, for it is used while others are constructed.
static std::map<std::pair<std::string, std::string>, OpDefinition> &table() {
  static std::map<std::pair<std::string, std::string>, OpDefinition> map;
  return map;
}

void registerOp(OpDefinition definition) {
  auto key = std::pair(definition.domain, definition.type);
  table().insert_or_assign(std::move(key), std::move(definition));
}

const OpDefinition *findOp(const OperatorId &id) {
  auto found = table().find({id.domain, id.type});
  if (found == table().end())
    return nullptr;
  const std::vector<int> &versions = found->second.versions;
  bool known =
      std::find(versions.begin(), versions.end(), id.version) != versions.end();
  return known ? &found->second : nullptr;
}

bool isModelOp(const OperatorId &id) {
  const OpDefinition *definition = findOp(id);
  return definition && !definition->isInternal;
}

int newestVersion(const OperatorId &id, int opset) {
  int newest = 0;
  if (auto found = table().find({id.domain, id.type}); found != table().end())
    for (int version : found->second.versions)
      if (version <= opset)
        newest = std::max(newest, version);
  return newest;
}

OperatorId newestOf(const std::string &domain, const std::string &type) {
  OperatorId id{domain, type, 0};
  id.version = newestVersion(id, std::numeric_limits<int>::max());
  return id;
}

std::vector<const OpDefinition *> allOps() {
  std::vector<const OpDefinition *> result;
  for (const auto &[key, definition] : table())
    result.push_back(&definition);
  return result;
}

std::unique_ptr<Op> createOp(OpSpec spec) {
  const OpDefinition *definition = findOp(spec.id);
  if (!definition)
    failUnsupported("operator {} (node '{}') is not supported",
                    toString(spec.id), spec.name);
  if (spec.numInputs > definition->mostInputs)
    failInput("{} (node '{}') has {} inputs; it takes {} at most",
              toString(spec.id), spec.name, spec.numInputs,
              definition->mostInputs);
  return definition->create(std::move(spec));
}

} // namespace populus::popir
