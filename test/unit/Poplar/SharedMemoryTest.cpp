// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of blocks that are live for a time only. A small program is written
// down by hand, which writes blocks at some moments and reads them at others.

#include "lib/Poplar/Lowering/SharedMemory.h"
#include "lib/Poplar/Device/DeviceAccess.h"
#include "lib/Poplar/Graph/Access.h"
#include "test/unit/Poplar/DeviceKinds.h"

#include <poplar/Graph.hpp>

using namespace poplar;
using poplar::core::Access;
using poplar::core::Draft;
using poplar::core::Liveness;
using poplar::core::MemoryRange;
using poplar::core::SharedMemory;

namespace {

namespace rt = populus::runtime;

class SharedMemoryTest : public ::testing::Test {
protected:
  SharedMemoryTest()
      : device(makeDevice(TargetType::IPU_MODEL, 1)), graph(device.getTarget()),
        draft(Access::impl(graph), core::DeviceAccess::data(graph.getTarget()),
              exe, 1) {}

  std::uint32_t add(std::uint64_t bytes) {
    poplar::core::Block block;
    block.variable = static_cast<std::uint32_t>(variables);
    block.bytes = bytes;
    graph.addVariable(UNSIGNED_CHAR, {bytes});
    ++variables;
    return draft.storage.addBlock(block);
  }
  void access(std::uint32_t block, rt::StepKind kind) {
    rt::TensorLayout layout;
    layout.segments = {static_cast<std::uint32_t>(draft.segments.size()), 1};
    draft.segments.push_back(
        {{block, 0},
         static_cast<std::uint32_t>(draft.storage.blocks()[block].bytes)});
    rt::Step step;
    step.kind = kind;
    step.tensor = static_cast<std::uint32_t>(exe.tensors.size());
    exe.tensors.push_back(layout);
    exe.steps.push_back(step);
  }
  void write(std::uint32_t block) {
    access(block, rt::StepKind::StreamToDevice);
  }
  void read(std::uint32_t block) {
    access(block, rt::StepKind::DeviceToStream);
  }
  Liveness finish() {
    rt::Step all;
    for (std::uint32_t i = 0; i != exe.steps.size(); ++i)
      all.children.push_back(i);
    exe.programs = {static_cast<std::uint32_t>(exe.steps.size())};
    exe.steps.push_back(all);
    return Liveness(draft);
  }

  Device device;
  poplar::Graph graph;
  rt::Executable exe;
  Draft draft;
  std::size_t variables = 0;
};

// Two variables share memory; the one that begins lower ends higher.
TEST_F(SharedMemoryTest, LastBelowOneThatReachesHigher) {
  const std::uint32_t large = add(48), small = add(8), last = add(20);
  write(large);
  write(last);
  read(large);
  write(small);
  read(small);
  read(last);
  const Liveness liveness = finish();
  ASSERT_FALSE(liveness.interfere(large, small));
  auto &blocks = draft.storage.blocks();
  SharedMemory shared(liveness, blocks);
  const MemoryRange lower = {40, 100}, upper = {48, 100}, all = {4, 100};
  ASSERT_TRUE(shared.place(large, {&lower, 1}));
  ASSERT_TRUE(shared.place(small, {&upper, 1}));
  ASSERT_EQ(blocks[large].address, 40u);
  ASSERT_EQ(blocks[small].address, 48u);
  ASSERT_TRUE(shared.placeLast(last, all));
  EXPECT_EQ(blocks[last].address, 20u);
}

TEST_F(SharedMemoryTest, LastAboveAll) {
  const std::uint32_t first = add(40), last = add(20);
  write(first);
  write(last);
  read(first);
  read(last);
  const Liveness liveness = finish();
  auto &blocks = draft.storage.blocks();
  SharedMemory shared(liveness, blocks);
  const MemoryRange all = {4, 100};
  ASSERT_TRUE(shared.place(first, {&all, 1}));
  ASSERT_TRUE(shared.placeLast(last, all));
  EXPECT_EQ(blocks[last].address, 80u);
}

} // namespace
