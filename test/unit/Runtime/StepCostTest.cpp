// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transactions with the host: a sync and a round trip each, at most 128 MiB for
// each IPU. The programs are never run, so their tensors need no memory.

#include "runtime/Session/StepCost.h"
#include "runtime/Target/Timing.h"

#include <gtest/gtest.h>

using namespace populus::runtime;

namespace {

constexpr std::uint32_t MiB = 1 << 20;

/// Stream copies in a row, to two IPUs of four tiles each.
class Copies {
public:
  Copies() {
    program.device = DeviceKind::IpuModel;
    program.target = "ipu2";
    program.numIpus = 2;
    program.tilesPerIpu = 4;
    program.steps.emplace_back(); // the sequence of all
    program.programs = {0};
  }

  /// Adds a copy of some MiB to each IPU.
  void add(std::uint32_t first, std::uint32_t second) {
    const auto number = static_cast<std::uint32_t>(program.steps.size());
    TensorLayout tensor;
    tensor.shape = {std::uint64_t(first + second) * MiB / 4};
    tensor.segments = {static_cast<std::uint32_t>(program.segments.size()), 2};
    program.segments.push_back({0, 0, first * MiB});
    program.segments.push_back({4, 0, second * MiB});
    program.tensors.push_back(tensor);
    Stream stream;
    stream.numElements = tensor.shape[0];
    program.streams.push_back(stream);
    Step copy;
    copy.kind = StepKind::StreamToDevice;
    copy.index = copy.tensor = number - 1;
    program.steps.push_back(copy);
    program.steps[0].children.push_back(number);
  }

  /// The syncs of a copy on an IPU: of the first, 1, of one that goes on, 0.
  std::uint64_t syncs(std::uint32_t copy, std::uint32_t ipu) {
    const Cycles cycles = cyclesOf(copy, ipu);
    const std::uint64_t one = timing::globalSyncCycles(targetOf(program));
    EXPECT_EQ(cycles.sync % one, 0u);
    return cycles.sync / one;
  }

  Cycles cyclesOf(std::uint32_t copy, std::uint32_t ipu) {
    StepCost costs(program);
    for (const StepPart &part : costs.of(copy + 1))
      if (part.ipus.front() == ipu)
        return part.spent;
    ADD_FAILURE() << "no part of IPU " << ipu;
    return {};
  }

  Executable program;
};

TEST(HostTransactions, HaveAtMost128MiB) {
  Copies copies;
  copies.add(60, 0);
  copies.add(60, 0);
  copies.add(60, 0);
  EXPECT_EQ(copies.syncs(0, 0), 1u);
  EXPECT_EQ(copies.syncs(1, 0), 0u);
  EXPECT_EQ(copies.syncs(2, 0), 1u);
}

TEST(HostTransactions, OfOneLargeCopyAreSeveral) {
  Copies copies;
  copies.add(128, 0);
  copies.add(384, 0);
  copies.add(129, 0);
  EXPECT_EQ(copies.syncs(0, 0), 1u);
  EXPECT_EQ(copies.syncs(1, 0), 3u);
  EXPECT_EQ(copies.syncs(2, 0), 2u);
  // Three times the same data takes three times as long.
  EXPECT_EQ(copies.cyclesOf(1, 0).total, 3 * copies.cyclesOf(0, 0).total);
}

TEST(HostTransactions, HaveALimitOfEachIpu) {
  Copies copies;
  copies.add(100, 1);
  copies.add(1, 100);
  for (std::uint32_t ipu : {0, 1}) {
    EXPECT_EQ(copies.syncs(0, ipu), 1u);
    EXPECT_EQ(copies.syncs(1, ipu), 0u);
  }
}

} // namespace
