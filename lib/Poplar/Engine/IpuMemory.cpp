// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See IpuMemory.h.

#include "lib/Poplar/Engine/IpuMemory.h"

#include "lib/Poplar/Device/DeviceAccess.h"
#include "lib/Profile/ReportBuilder.h"

#include <algorithm>

namespace poplar::core {

namespace {

/// Returns true if moments of one executable are those of the other. Exchanges
/// may differ, because vertices have other layouts.
bool haveEqualSteps(const populus::runtime::Executable &a,
                    const populus::runtime::Executable &b) {
  return std::ranges::equal(
      a.steps, b.steps, [](const auto &one, const auto &other) {
        return one.kind == other.kind && one.children == other.children;
      });
}

} // namespace

void measureOnIpu(const GraphImpl &graph, ArrayRef<program::Program> programs,
                  const LoweringOptions &options, Lowered &model,
                  populus::report::Recorded &recorded) {
  TargetData target = DeviceAccess::data(graph.target);
  target.type = TargetType::IPU;
  LoweringOptions forIpu;
  forIpu.target = &target;
  forIpu.allowOutOfMemory = options.allowOutOfMemory;
  forIpu.threads = options.threads;
  forIpu.stacks = options.stacks;
  forIpu.recordLiveness = true;
  Lowered onIpu = lower(graph, programs, forIpu);

  model.executable->memory = std::move(onIpu.executable->memory);
  if (haveEqualSteps(*model.executable, *onIpu.executable))
    model.liveness = std::move(onIpu.liveness);
  else
    model.liveness.regions = std::move(onIpu.liveness.regions);
  const auto &metadata = onIpu.executable->metadata;
  if (const auto full = metadata.find(OutOfMemoryKey); full != metadata.end())
    model.executable->metadata.insert(*full);
  const populus::report::Report report =
      populus::profile::describeProgram(*onIpu.executable);
  for (const populus::report::VertexType &type : report.vertex_types()) {
    populus::report::Recorded::VertexSize &size = *recorded.add_vertex_sizes();
    size.set_name(type.name());
    size.set_state_bytes(type.state_bytes());
    size.set_field_bytes(type.field_bytes());
    size.set_pointer_bytes(type.pointer_bytes());
    size.set_code_bytes(type.code_bytes());
  }
}

} // namespace poplar::core
