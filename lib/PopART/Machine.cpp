// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Machine.h.

#include "lib/PopART/Machine.h"

#include "lib/PopART/Support/Error.h"

#include <poplar/IPUModel.hpp>

#include <string_view>
#include <vector>

namespace populus::popir {

using populus::runtime::TargetInfo;

const TargetInfo &findTarget(const std::string &name) {
  std::vector<std::string_view> names;
  for (const TargetInfo &target : populus::runtime::allTargets()) {
    if (target.name == name)
      return target;
    names.push_back(target.name);
  }
  fail(ErrorKind::Usage, "--target: there is no target '{}'; there are {}",
       name, fmt::join(names, ", "));
}

static void checkMachine(const MachineOptions &machine,
                         const TargetInfo &target) {
  bool isCpuDevice = machine.device == "cpu";
  if (!isCpuDevice && machine.device != "ipu" && machine.device != "ipu-model")
    fail(ErrorKind::Usage,
         "--device: there is no device '{}'; there are ipu, ipu-model and cpu",
         machine.device);
  if (target.isIpu() == isCpuDevice)
    fail(ErrorKind::Usage, "--target {} does not run on --device {}",
         machine.target, machine.device);
  if (!target.isIpu() && (machine.numIpus != 1 || machine.tilesPerIpu > 1))
    fail(ErrorKind::Usage, "--target cpu has one tile");
  if (machine.tilesPerIpu > target.tilesPerIpu)
    fail(ErrorKind::Usage, "--tiles {}: an {} has {} tiles",
         machine.tilesPerIpu, machine.target, target.tilesPerIpu);
  if (machine.numIpus > MostIpus)
    fail(ErrorKind::Usage, "--num-ipus {}: machines have at most {} IPUs",
         machine.numIpus, MostIpus);
}

poplar::Target makeTarget(const MachineOptions &machine) {
  const TargetInfo &info = findTarget(machine.target);
  checkMachine(machine, info);
  if (!info.isIpu())
    return poplar::Target::createCPUTarget();
  unsigned tiles =
      machine.tilesPerIpu != 0 ? machine.tilesPerIpu : info.tilesPerIpu;
  if (machine.device == "ipu")
    return poplar::Target::createIPUTarget(machine.numIpus, tiles,
                                           machine.target);
  poplar::IPUModel model(machine.target.c_str());
  model.numIPUs = machine.numIpus;
  model.tilesPerIPU = tiles;
  return model.createDevice().getTarget();
}

poplar::Device makeDevice(const MachineOptions &machine) {
  if (machine.device == "cpu")
    return poplar::Device::createCPUDevice();
  poplar::Target target = makeTarget(machine);
  if (machine.device == "ipu")
    return poplar::Device::createSimulatorDevice(target);
  poplar::IPUModel model(machine.target.c_str());
  model.numIPUs = machine.numIpus;
  model.tilesPerIPU = target.getTilesPerIPU();
  return model.createDevice();
}

} // namespace populus::popir
