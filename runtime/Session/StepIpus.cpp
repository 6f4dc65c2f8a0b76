// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Session/StepIpus.h"

#include "runtime/Format/StepKinds.h"
#include "runtime/Session/StepTiles.h"

#include <numeric>

namespace populus::runtime {

namespace {

/// A set of IPUs that tiles are added to.
class IpuSet {
public:
  explicit IpuSet(const Executable &program)
      : program(program), isIn(program.numIpus) {}

  void addTile(std::uint32_t tile) { isIn[tile / program.tilesPerIpu] = true; }

  void addTensor(std::uint32_t tensor) {
    forEachTileOfTensor(program, tensor,
                        [&](std::uint32_t tile) { addTile(tile); });
  }

  void addStep(const Step &step) {
    forEachTileOf(program, step, [&](std::uint32_t tile) { addTile(tile); });
  }

  void add(const IpuList &ipus) {
    for (std::uint32_t ipu : ipus)
      isIn[ipu] = true;
  }

  IpuList list() const {
    IpuList list;
    for (std::uint32_t ipu = 0; ipu != isIn.size(); ++ipu)
      if (isIn[ipu])
        list.push_back(ipu);
    return list;
  }

private:
  const Executable &program;
  std::vector<bool> isIn;
};

} // namespace

IpuList ipusOfTensors(const Executable &program,
                      std::span<const std::uint32_t> tensors) {
  if (program.numIpus == 1)
    return {0};
  IpuSet set(program);
  for (std::uint32_t tensor : tensors)
    set.addTensor(tensor);
  const IpuList list = set.list();
  return list.empty() ? IpuList{0} : list;
}

StepIpus::StepIpus(const Executable &program)
    : program(program), allIpus(program.numIpus), known(program.steps.size()) {
  std::iota(allIpus.begin(), allIpus.end(), 0);
}

const IpuList &StepIpus::of(std::uint32_t step) {
  if (program.numIpus == 1)
    return allIpus;
  static const IpuList First = {0};
  const IpuList &list = involved(step);
  return list.empty() ? First : list;
}

const IpuList &StepIpus::involved(std::uint32_t step) {
  if (!known[step])
    known[step] = find(program.steps[step]);
  return *known[step];
}

IpuList StepIpus::find(const Step &step) {
  IpuSet set(program);
  set.addStep(step);
  if (step.kind == StepKind::Call)
    set.add(involved(step.function()));
  for (std::uint32_t child : step.children)
    set.add(involved(child));
  return set.list();
}

} // namespace populus::runtime
