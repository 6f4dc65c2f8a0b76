// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The session on native devices: a program built by hand with host code built
// by the test, run on CPU and IPU Model.

#include "TestPrograms.h"

#include "runtime/Session/Session.h"
#include "runtime/Target/Timing.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

std::unique_ptr<Session> load(const Executable &executable,
                              const SessionOptions &options = {}) {
  return Session::create(std::make_shared<Executable>(executable), options);
}

/// Connects both streams of scaleProgram().
void connect(Session &session, std::vector<float> input,
             std::vector<float> &output) {
  session.connectStream(0, [input](void *buffer, std::size_t bytes) {
    ASSERT_EQ(bytes, 16u);
    std::memcpy(buffer, input.data(), bytes);
  });
  session.connectStream(1, [&output](void *buffer, std::size_t bytes) {
    output.resize(bytes / 4);
    std::memcpy(output.data(), buffer, bytes);
  });
}

class NativeSessionTest : public testing::TestWithParam<DeviceKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, NativeSessionTest,
                         testing::Values(DeviceKind::Cpu,
                                         DeviceKind::IpuModel));

TEST_P(NativeSessionTest, StreamsComputesExchangesAndPrints) {
  auto session = load(scaleProgram(GetParam()));
  std::vector<float> output;
  std::ostringstream text;
  connect(*session, {1, 2, 3, 4}, output);
  session->setPrintStream(text);
  session->run(0);
  EXPECT_EQ(output, (std::vector<float>{2.5f, 5, 7.5f, 10}));
  EXPECT_EQ(text.str(), "result: {2.5,5,7.5,10}\n");

  std::vector<float> read(4);
  session->readTensor(HostResult, read.data());
  EXPECT_EQ(read, output);
}

TEST_P(NativeSessionTest, LoopsUntilThePredicateIsFalse) {
  auto session = load(scaleProgram(GetParam()));
  const std::int32_t five = 5;
  session->writeTensor(HostCounter, &five);
  session->run(1);
  std::int32_t counter = -1;
  session->readTensor(HostCounter, &counter);
  EXPECT_EQ(counter, 0);
}

TEST(NativeCyclesTest, CpuTakesNoneAndTheModelTakesItsEstimates) {
  std::vector<float> output;
  std::ostringstream text;
  auto cpu = load(scaleProgram(DeviceKind::Cpu));
  connect(*cpu, {1, 2, 3, 4}, output);
  cpu->setPrintStream(text);
  cpu->run(0);
  EXPECT_EQ(cpu->stats().cycles.total, 0u);
  EXPECT_EQ(cpu->stats().engine, "native");

  SessionOptions options;
  options.recordSteps = true;
  auto model = load(scaleProgram(DeviceKind::IpuModel), options);
  connect(*model, {1, 2, 3, 4}, output);
  model->setPrintStream(text);
  model->run(0);
  const Cycles cycles = model->stats().cycles;
  EXPECT_EQ(cycles.compute, 11u + 120u);
  EXPECT_EQ(cycles.exchange, 52u + 4u + 2u);
  // One exchange between tiles, two transfers.
  EXPECT_EQ(cycles.sync, 133u + 2 * 600u);
  EXPECT_EQ(cycles.host, 2 * (1330u + 4u));
  EXPECT_EQ(cycles.total,
            cycles.compute + cycles.exchange + cycles.sync + cycles.host);
  // One of two tiles was busy.
  EXPECT_DOUBLE_EQ(model->stats().tileBalance, 0.5);
  ASSERT_EQ(model->recorded(0).steps.size(), 4u);
  EXPECT_EQ(model->recorded(0).steps[1].cycles.compute, 131u);
  model->resetStats();
  EXPECT_EQ(model->stats().cycles.total, 0u);
  EXPECT_TRUE(model->recorded(0).steps.empty());
}

TEST(NativeErrorsTest, AStreamMustBeConnected) {
  auto session = load(scaleProgram(DeviceKind::Cpu));
  try {
    session->run(0);
    FAIL();
  } catch (const RunError &error) {
    EXPECT_STREQ(error.what(), "stream 'in' is not connected; connect it "
                               "before the run");
  }
}

TEST(NativeErrorsTest, TheCycleLimitStopsALoop) {
  SessionOptions options;
  options.maxCycles = 1000;
  auto session = load(scaleProgram(DeviceKind::IpuModel), options);
  const std::int32_t minusOne = -1; // it would be 0 after 2^32 - 1 rounds
  session->writeTensor(HostCounter, &minusOne);
  EXPECT_THROW(session->run(1), RunError);
  EXPECT_GT(session->stats().cycles.total, 1000u);
}

TEST(NativeErrorsTest, UnknownProgramsSymbolsAndObjectsAreRefused) {
  Executable exe = scaleProgram(DeviceKind::Cpu);
  EXPECT_THROW(load(exe)->run(2), RunError);
  exe.hostEntries[0].symbol = "__runCodelet_Missing";
  EXPECT_THROW(load(exe), RunError);
  exe.hostObjects[0].resize(100);
  EXPECT_THROW(load(exe), RunError);
}

TEST(NativeErrorsTest, PointersOutOfTheTileAreRefused) {
  Executable exe = scaleProgram(DeviceKind::Cpu);
  exe.payloads[1].bytes[2] = 1; // 65536 bytes beyond
  EXPECT_THROW(load(exe), RunError);
}

TEST(NativeControlTest, IfSwitchRepeatCallAndAbort) {
  Executable exe = scaleProgram(DeviceKind::IpuModel);
  const std::uint32_t decrement =
      addStep(exe, {StepKind::Execute, 1, None, "", {}, {}});
  const std::uint32_t twice =
      addStep(exe, {StepKind::Repeat, 2, None, "", {decrement}, {}});
  const std::uint32_t call =
      addStep(exe, {StepKind::Call, twice, None, "", {}, {}});
  const std::uint32_t abort =
      addStep(exe, {StepKind::Abort, 0, None, "wrong way", {}, {}});
  const std::uint32_t select = addStep(
      exe, {StepKind::Switch, 0, Counter, "", {abort, call, abort}, {7, 3}});
  const std::uint32_t branch =
      addStep(exe, {StepKind::If, 0, Counter, "", {select, abort}, {}});
  exe.programs = {branch};
  auto session = load(exe);
  session->run(0); // 3: decremented twice
  std::int32_t counter = -1;
  session->readTensor(HostCounter, &counter);
  EXPECT_EQ(counter, 1);
  EXPECT_THROW(session->run(0), RunError); // 1: the default case aborts
  // Two loops of compute sets, decisions of If, Switch and Repeat.
  EXPECT_EQ(session->stats().cycles.compute, 2 * (11u + 18u) + 4 * 6u + 2 * 6u);
}

} // namespace
