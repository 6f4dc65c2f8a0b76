// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry, and the entry in the compiler's own table of operators that
// each of its operators has.

#include "lib/PopART/Custom/Registry.h"

#include "lib/PopART/Custom/CustomOp.h"
#include "lib/PopART/Custom/CustomOps.h"
#include "lib/PopART/Custom/Rewrites.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Support/Error.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <map>
#include <tuple>

namespace populus::popir {

namespace {

using Key = std::tuple<std::string, std::string, int>;

// A function's static object, for it is used while others are constructed.
std::map<Key, CustomDefinition> &table() {
  static std::map<Key, CustomDefinition> map;
  return map;
}

std::vector<std::string> &problems() {
  static std::vector<std::string> list;
  return list;
}

CustomDefinition &entryOf(const popart::OperatorIdentifier &id) {
  return table()[{id.domain, id.type, id.version}];
}

/// All versions of the operator that have a factory.
std::vector<int> versionsOf(const popart::OperatorIdentifier &id) {
  std::vector<int> versions;
  for (const auto &[key, definition] : table())
    if (std::get<0>(key) == id.domain && std::get<1>(key) == id.type &&
        definition.factory)
      versions.push_back(std::get<2>(key));
  return versions;
}

} // namespace

const CustomDefinition *findCustom(const popart::OperatorIdentifier &id) {
  const auto found = table().find({id.domain, id.type, id.version});
  return found == table().end() ? nullptr : &found->second;
}

void loadCustomOps(const std::string &path) {
  // dlopen() looks for a name without a folder in the system's ones.
  const std::string file =
      path.find('/') == std::string::npos ? "./" + path : path;
  if (!dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL))
    failInput("--custom-op: '{}' cannot be loaded: {}", path, dlerror());
  try {
    checkRegistrations();
  } catch (const Error &error) {
    failInput("--custom-op: '{}' cannot be used: {}", path, error.what());
  }
}

bool hasCustomOps() { return !table().empty() || !customPatterns().empty(); }

void checkRegistrations() {
  if (!problems().empty())
    failInput("{}", fmt::join(problems(), "; "));
}

static void addOperator(const popart::OperatorIdentifier &id,
                        const popart::OpDefinition &definition,
                        const popart::OpManager::OpFactoryFunc &factory) {
  const OpDefinition *own =
      findOp(newestOf(id.domain == "ai.onnx" ? "" : id.domain, id.type));
  if (own && own->create != &createCustomOp) {
    problems().push_back(fmt::format(
        "the operator {}.{}:{} is one of PopART's own; register yours under "
        "another name or domain",
        id.domain, id.type, id.version));
    return;
  }
  CustomDefinition &entry = entryOf(id);
  entry.definition = definition;
  entry.factory = factory;
  registerOp({id.domain, id.type, versionsOf(id), &createCustomOp});
}

} // namespace populus::popir

namespace popart {

void OpManager::registerOp(const OperatorIdentifier &opid,
                           const OpDefinition &definition, bool,
                           const OpFactoryFunc &factory) {
  populus::popir::addOperator(opid, definition, factory);
}

RegisterShapeInferenceFunction::RegisterShapeInferenceFunction(
    const OperatorIdentifier &opid, const ShapeInferenceFunction &function) {
  populus::popir::entryOf(opid).shapes = function;
}

void popx::OpxManager::registerOpx(const OperatorIdentifier &opid,
                                   const OpxFactoryFunc &factory) {
  populus::popir::entryOf(opid).opx = factory;
}

} // namespace popart
