// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many tiles with different amounts of work give the same bits and cycles for
// any number of host threads, and in sessions that run at the same time.

#include "Assembler.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

constexpr std::uint32_t Tiles = 100;

/// Each tile counts its own number up in random steps, 1 + tile times.
Executable manyTiles() {
  Assembler code;
  code("LD32_m_bdi", {0, 13, 15, 0})("LD32_m_bdi", {1, 0, 15, 0});
  const std::int64_t loop = code.hereWord();
  code("URAND32", {0})("ATOM", {3, 0})("ADD_rr", {2, 2, 3});
  code("BRNZDEC", {1, loop});
  code("ST32_m_bdi", {2, 0, 15, 1})("EXITZ", {15});
  Executable exe = oneVertex(code);
  exe.tilesPerIpu = Tiles;
  exe.tileSetup.assign(Tiles, 0);
  exe.memoryEnd.clear();
  exe.tileVertices.clear();
  exe.segments.clear();
  exe.data.clear();
  Payload counts{"counts", std::vector<std::uint8_t>(4 * Tiles)};
  for (std::uint32_t tile = 0; tile != Tiles; ++tile) {
    std::memcpy(&counts.bytes[4 * tile], &tile, 4);
    exe.data.push_back({tile, StateAt, 0, 4, 0});
    exe.data.push_back({tile, ResultAt, 1, 4, 4 * tile});
    exe.tileVertices.push_back({tile, {0, 1}});
    exe.segments.push_back({tile, ResultAt + 4, 4});
  }
  exe.payloads.push_back(counts);
  exe.computeSets[0].tiles = {0, Tiles};
  exe.tensors = {{ElementType::UnsignedInt, {Tiles}, {0, Tiles}}};
  return exe;
}

struct Result {
  std::vector<std::uint32_t> values;
  std::uint64_t cycles;
  std::uint64_t bundles;
  double balance;
  bool operator==(const Result &) const = default;
};

Result runWith(const VerifiedExecutable &exe, unsigned threads,
               Engine engine = Engine::Auto) {
  SessionOptions options;
  options.threads = threads;
  options.engine = engine;
  auto session = Session::create(exe, options);
  session->run(0);
  Result result{std::vector<std::uint32_t>(Tiles),
                session->stats().cycles.compute, session->stats().bundles,
                session->stats().tileBalance};
  session->readTensor(0, result.values.data());
  return result;
}

TEST(DeterminismTest, ThreadsChangeNothing) {
  const VerifiedExecutable exe(manyTiles());
  const Result one = runWith(exe, 1);
  for (unsigned threads : {2u, 3u, 8u})
    EXPECT_TRUE(runWith(exe, threads) == one) << threads;
  // The slowest tile goes around 100 times, all together 5,050 times.
  EXPECT_EQ(one.cycles, 11u + 6 * (4 + 4 * 100));
  EXPECT_EQ(one.bundles, Tiles * 4u + 4 * 5050);
  EXPECT_NE(one.values[1], one.values[2]);
}

TEST(DeterminismTest, SessionsShareAProgram) {
  const VerifiedExecutable exe(manyTiles());
  const Result one = runWith(exe, 1);
  std::vector<std::thread> threads;
  for (Engine engine : {Engine::Interpreter, Engine::Translated, Engine::Auto,
                        Engine::Translated})
    threads.emplace_back(
        [&, engine] { EXPECT_TRUE(runWith(exe, 2, engine) == one); });
  for (std::thread &thread : threads)
    thread.join();
}

/// A MultiVertex: each worker adds 1 to a number, of its own or, where
/// `shared`, the same for all. Each run begins as the one before.
Assembler counters(bool shared) {
  Assembler code;
  // Bases of workers are 0x1000 apart.
  code("LD32_m_bdi", {0, 13, 15, 0})("SHR_rz", {1, 12, 12});
  code("AND_m_rz", {1, 1, shared ? 0 : 7})("SHL_rz", {1, 1, 2});
  code("SETZI_a", {1, 0})("OR_a_rh", {1, 1, 0x3f8}); // 1.0
  code("LD32_a_bdi", {0, 0, 1, 0})("F32ADD", {0, 0, 1});
  code("ST32_a_bdi", {0, 0, 1, 0});
  code("SETZI_m", {0, 0})("SETZI_m", {1, 0})("EXITZ", {15});
  return code;
}

// Facts about a vertex on one tile do not hold on a tile with other code.
TEST(DeterminismTest, TilesShareVertices) {
  constexpr std::uint32_t Runs = 12;
  Executable exe = oneVertex(counters(true), VertexKind::Multi);
  exe.images.push_back(oneVertex(counters(false)).images[0]);
  exe.tilesPerIpu = 2;
  exe.tileSetups.push_back(exe.tileSetups[0]);
  exe.tileSetups[1].image = 1;
  exe.tileSetup = {0, 1};
  exe.memoryEnd.assign(2, exe.memoryEnd[0]);
  exe.data.push_back({1, StateAt, 0, 4, 0});
  exe.tileVertices.push_back({1, {0, 1}});
  exe.computeSets[0].tiles = {0, 2};
  exe.segments = {{1, ResultAt + 4, 24}, {0, ResultAt, 4}};
  exe.tensors = {{ElementType::Float, {7}, {0, 2}}};
  for (Engine engine : {Engine::Interpreter, Engine::Translated}) {
    SessionOptions options;
    options.threads = 1;
    options.engine = engine;
    auto session = Session::create(std::make_shared<Executable>(exe), options);
    for (std::uint32_t i = 0; i != Runs; ++i)
      session->run(0);
    std::vector<float> numbers(7);
    session->readTensor(0, numbers.data());
    // All workers read the shared one before the first of them writes.
    EXPECT_EQ(numbers, std::vector<float>(7, Runs)) << session->stats().engine;
  }
}

} // namespace
