// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about operations as profile values.

#include <poputil/DebugInfo.hpp>

#include <sstream>

using namespace poplar;

namespace poputil {
namespace {

ProfileValue toMap(const std::vector<ArgType> &args) {
  ProfileValue::Map map;
  for (const ArgType &arg : args)
    map[arg.n] = arg.pv;
  return map;
}

} // namespace

ProfileValue toProfileValue(const ComputeSet &t) {
  return ProfileValue::Map{{"computeSetId", t.getId()}};
}

ProfileValue toProfileValue(const OptionFlags &t) {
  ProfileValue::Map map;
  for (const auto &option : t)
    map[option.first] = option.second;
  return map;
}

ProfileValue toProfileValue(const Tensor &t) {
  if (!t.valid())
    return ProfileValue("<none>");
  return ProfileValue::Map{{"shape", toProfileValue(t.shape())},
                           {"type", toProfileValue(t.elementType())}};
}

ProfileValue toProfileValue(const Type &t) {
  return ProfileValue(std::string(t.toString()));
}

ProfileValue toProfileValue(const std::string &t) { return ProfileValue(t); }
ProfileValue toProfileValue(const char *t) { return ProfileValue(t); }

void OpDebugInfo::add(std::string name, const std::vector<ArgType> &args) {
  setValue(std::move(name), toMap(args));
}

PoplibsOpDebugInfo::PoplibsOpDebugInfo(const DebugContext &debugContext,
                                       const std::vector<ArgType> &args,
                                       const std::string &api)
    : OpDebugInfo(debugContext, "poplibs") {
  setValue("api", api);
  add("args", args);
}

void PoplibsOpDebugInfo::addOutput(const Tensor &output) {
  addOutputs({ArgType("output", toProfileValue(output))});
}

void PoplibsOpDebugInfo::addOutputs(const std::vector<ArgType> &outputs) {
  add("outputs", outputs);
}

} // namespace poputil
