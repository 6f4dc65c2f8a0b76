// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets and the settings of the IPU Model: what queries answer, and what
// programs cost.

#include "test/unit/Poplar/TestArchive.h"

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

using namespace poplar;

namespace {

/// Cycles of a sync within the IPU, and of a copy of 1,000 words.
std::uint64_t cyclesOf(const IPUModel &model) {
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  const Tensor a = graph.addVariable(INT, {1000}, "a");
  const Tensor b = graph.addVariable(INT, {1000}, "b");
  graph.setTileMapping(a, 0);
  graph.setTileMapping(b, 1);
  Engine engine(graph, program::Copy(a, b));
  engine.loadAndRun(device);
  std::stringstream file;
  engine.serializeExecutable(file);
  Engine again(Executable::deserialize(file));
  again.loadAndRun(device);
  const std::uint64_t cycles =
      engine.getExecutionProfile()["cycles"]["total"].asUint();
  EXPECT_EQ(again.getExecutionProfile()["cycles"]["total"].asUint(), cycles)
      << "a saved program keeps the settings";
  return cycles;
}

TEST(ModelTest, SettingsChangeTheTiming) {
  IPUModel model;
  model.tilesPerIPU = 2;
  const std::uint64_t usual = cyclesOf(model);
  model.minIPUSyncDelay += 1000;
  EXPECT_EQ(cyclesOf(model), usual + 1000);
  model.minIPUSyncDelay = 1;
  const std::uint64_t least = cyclesOf(model);
  EXPECT_LT(least, usual);
  model.minIPUSyncDelay = 0;
  EXPECT_EQ(cyclesOf(model), least);
  model.minIPUSyncDelay = IPUModel().minIPUSyncDelay;
  model.exchangeBytesPerCycle = 8;
  EXPECT_EQ(cyclesOf(model), usual - 500);
}

TEST(ModelTest, SettingsAreWhatTheTargetSays) {
  IPUModel model("ipu21");
  const IPUModel usual = model;
  EXPECT_EQ(model, usual);
  model.tileClockFrequency = 1e9;
  model.numWorkerContexts = 4;
  model.dataPathWidth = 128;
  model.memoryBytesPerTile = 1 << 20;
  model.globalSyncCycles = 700;
  model.fp16InFp32OutConvUnitsPerTile = 64;
  model.globalExchangeConstraints = {
      GlobalExchangeConstraint(1e9, {GlobalExchangeFlow(0, 1)})};
  EXPECT_NE(model, usual);
  const Target target = model.createDevice().getTarget();
  EXPECT_EQ(target.getTargetType(), TargetType::IPU_MODEL);
  EXPECT_EQ(target.getTargetArchString(), "ipu21");
  EXPECT_EQ(target.getTileClockFrequency(), 1e9);
  EXPECT_EQ(target.getNumWorkerContexts(), 4u);
  EXPECT_EQ(target.getDataPathWidth(), 128u);
  EXPECT_EQ(target.getBytesPerTile(), 1u << 20);
  EXPECT_EQ(target.getGlobalSyncCycles(), 700u);
  EXPECT_EQ(target.getNumConvUnits(HALF, FLOAT), 64u);
  EXPECT_EQ(target.getGlobalExchangeConstraints().at(0).flows.at(0).dst, 1u);
  EXPECT_NE(target, usual.createDevice().getTarget());
  EXPECT_EQ(usual.createDevice().getTarget(),
            IPUModel("ipu21").createDevice().getTarget());
  EXPECT_TRUE(usual.createDevice().getTarget() < target ||
              target < usual.createDevice().getTarget());
  model.tileClockFrequency = 0;
  EXPECT_THROW(model.createDevice(), invalid_machine_model);
}

TEST(ModelTest, MemoryIsAsLargeAsSet) {
  IPUModel model;
  model.tilesPerIPU = 1;
  model.memoryBytesPerTile = 1000;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  const Tensor a = graph.addVariable(INT, {300}, "a");
  graph.setTileMapping(a, 0);
  graph.createHostRead("a", a);
  EXPECT_THROW(Engine(graph, program::Sequence()),
               graph_memory_allocation_error);
}

TEST(TargetTest, Queries) {
  const Target target =
      Target::createIPUTarget(4, "IPU-POD4",
                              {{"gatewayMode", "false"},
                               {"ipuLinkTopology", "torus"},
                               {"ipuLinkDomainSize", "2"},
                               {"ipuLinkConfiguration", "BarleyTwist"}});
  EXPECT_EQ(target.getTargetSystemString(), "ipu2");
  EXPECT_FALSE(target.getGatewayMode());
  EXPECT_EQ(target.getIpuLinkTopology(), IpuLinkTopology::Torus);
  EXPECT_EQ(target.getIpuLinkConfiguration(),
            IpuLinkConfiguration::BarleyTwist);
  EXPECT_EQ(target.getIpuLinkDomainSize(), 2u);
  EXPECT_EQ(target.getTargetOptions().size(), 4u);
  EXPECT_EQ(Target::createIPUTarget(1, "Bow-POD16").getTargetArchString(),
            "ipu21");
  EXPECT_EQ(target.getMemoryElementOffsets().size(), 2u);
  EXPECT_EQ(target.makeFpIctlValue(true, true, true, true, true), 0x180007u);
  EXPECT_EQ(target.getTypeLimitsMaxAs<int>(SHORT), 32767);
  EXPECT_EQ(target.getTypeLimitsLowestAs<int>(SIGNED_CHAR), -128);
  EXPECT_EQ(target.getTypeLimitsMaxAs<std::uint64_t>(UNSIGNED_LONGLONG),
            ~std::uint64_t(0));
  EXPECT_EQ(target.getTypeLimitsMaxAs<float>(HALF), 65504.0f);
}

TEST(TargetTest, Options) {
  EXPECT_THROW(Target::createIPUTarget(1, "ipu2", {{"gatewayMod", "true"}}),
               invalid_option);
  const Target wrong =
      Target::createIPUTarget(1, "ipu2", {{"ipuLinkTopology", "ring"}});
  EXPECT_THROW(wrong.getIpuLinkTopology(), invalid_option);
  setenv("POPLAR_TARGET_OPTIONS", R"({"ipuLinkTopology": "torus"})", 1);
  const Target target = Target::createIPUTarget(1, "ipu2");
  unsetenv("POPLAR_TARGET_OPTIONS");
  EXPECT_EQ(target.getIpuLinkTopology(), IpuLinkTopology::Torus);
}

TEST(TargetTest, Serialised) {
  IPUModel model("ipu1");
  model.tilesPerIPU = 7;
  std::vector<Target> targets = {
      Target::createCPUTarget(), model.createDevice().getTarget(),
      Target::createIPUTarget(2, 5, "ipu21", {{"gatewayMode", "false"}})};
  for (const Target &target : targets) {
    std::stringstream file;
    target.serialize(file);
    EXPECT_EQ(Target(file), target);
  }
  std::stringstream wrong("no target");
  EXPECT_THROW(Target{wrong}, parse_error);
}

TEST(DeviceTest, Facts) {
  const DeviceManager manager = DeviceManager::createDeviceManager();
  const Device device = manager.getDevice(2);
  EXPECT_EQ(device.getTarget().getNumIPUs(), 4u);
  unsigned major = 9, minor = 9, point = 9;
  device.getDriverVersion(major, minor, point);
  EXPECT_EQ(std::to_string(major) + "." + std::to_string(minor) + "." +
                std::to_string(point),
            versionString().cloneAsString());
  EXPECT_TRUE(device.hasGateway());
  EXPECT_EQ(device.getAttributes().at("ipu count"), "4");
  EXPECT_EQ(device.getAttribute(IPUAttributes::AttributeId::BoardVariant),
            device.getAttributes().at("board type"));
  EXPECT_EQ(device.getNumaTopology().size(), 4u);
  const std::vector<unsigned> children = manager.getChildDeviceIds(2, 2);
  ASSERT_EQ(children.size(), 2u);
  EXPECT_EQ(manager.getDevice(children[0]).getTarget().getNumIPUs(), 2u);
}

} // namespace
