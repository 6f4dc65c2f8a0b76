// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speed of the interpreter, one host thread: millions of bundles a second for
// loops that stand for scalar, vector and matrix code. CPU time, medians of
// five runs. Then what a vertex costs beside its own code.
//
//   ninja -C build EmulatorSpeed && build/bin/EmulatorSpeed [code|launches]

#include "test/unit/Emulator/Assembler.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <string_view>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

constexpr std::int64_t Rounds = 500; // of the outer loop
constexpr std::int64_t Inner = 1000; // rounds of a hardware loop

/// A worker that runs `body` Rounds times. The body may use all other
/// registers.
template <typename Body> Assembler loop(Body body) {
  Assembler code;
  code("SETZI_m", {1, Rounds});
  code("SETZI_a", {7, 8})("UPUT", {1, 7}); // clears the accumulators
  const std::int64_t start = code.hereWord();
  body(code);
  code("BRNZDEC", {1, start})("EXITZ", {15});
  return code;
}

/// A hardware loop over bundles that walk through memory. The strides of the
/// three addresses are one element, except that stores stay (selector 1, 0).
template <typename Bundles> Assembler streaming(Bundles bundles) {
  return loop([&](Assembler &code) {
    code("SETZI_m", {4, InterleavedBase})("SETZI_m", {5, 0x84000});
    code("SETZI_m", {6, 0xc0000});
    code("TAPACK", {2, 4, 5, 6})("SETZI_m", {7, 0});
    code.align8()("OR_m_rz", {15, 15, 0}); // the body must be aligned
    const std::int64_t at = static_cast<std::int64_t>(code.words.size());
    code("RPT_i", {Inner, 0});
    const std::size_t first = code.words.size();
    bundles(code);
    const std::int64_t count =
        static_cast<std::int64_t>(code.words.size() - first) / 2;
    // Once more, now that the length is known.
    Assembler again;
    again("RPT_i", {Inner, count - 1});
    code.words[static_cast<std::size_t>(at)] = again.words[0];
  });
}

/// Worker code of a convolution: a pass over ten positions. Register $m5 points
/// to the results.
void shortPass(Assembler &code) {
  code("SETZI_m", {4, InterleavedBase})("SETZI_m", {6, 0x84000});
  code("TAPACK", {2, 4, 6, 5})("SETZI_m", {7, 0});
  code.align8();
  const auto amp = [&](const char *row,
                       std::initializer_list<std::int64_t> operands,
                       std::int64_t phase) {
    code.bundle(row, operands, "F32SISOV2AMP", {4, phase % 2, 2, phase});
  };
  for (std::int64_t phase = 0; phase != 8; ++phase)
    amp("LD2X64PACE", {0, 2, 2, 7, 0}, phase);
  code("OR_m_rz", {15, 15, 0})("RPT_i", {8, 7});
  for (std::int64_t phase = 0; phase != 8; ++phase)
    amp("LD2XST64PACE", {0, 4, 2, 7, 0}, phase);
  for (std::int64_t phase = 0; phase != 8; ++phase)
    amp("ST64PACE", {4, 2, 7, 0}, phase);
}

/// A supervisor that starts all workers Rounds times for such a pass: windows.
Assembler shortWindows() {
  Assembler code;
  constexpr std::int64_t Worker = 16;
  code("SETZI_m", {4, CodeBase + 4 * Worker})("SETZI_m", {5, 0});
  code("SETZI_m", {1, Rounds});
  const std::int64_t start = code.hereWord();
  code("RUNALL", {4, 5, 0})("SYNC", {2})("BRNZDEC", {1, start})("BR", {10});
  while (code.words.size() != Worker)
    code("TRAP", {0});
  code("GET", {0, 1})("SHL_rz", {0, 0, 12})("SETZI_m", {5, 0x90000});
  code("ADD_rr", {5, 5, 0})("SETZI_a", {7, 8})("UPUT", {1, 7});
  shortPass(code);
  code("EXITZ", {15});
  return code;
}

double speed(const Executable &executable) {
  SessionOptions options;
  options.threads = 1;
  auto session =
      Session::create(std::make_shared<Executable>(executable), options);
  std::array<double, 5> results;
  for (double &result : results) {
    session->resetStats();
    const std::clock_t start = std::clock();
    session->run(0);
    const auto time = static_cast<double>(std::clock() - start);
    result = static_cast<double>(session->stats().bundles) * CLOCKS_PER_SEC /
             time / 1e6;
  }
  std::sort(results.begin(), results.end());
  return results[2];
}

void report(const char *name, const Assembler &code,
            VertexKind kind = VertexKind::Worker) {
  try {
    std::printf("%-44s %7.0f M bundles/s\n", name,
                speed(oneVertex(code, kind)));
  } catch (const RunError &error) {
    std::printf("%-44s %s\n", name, error.what());
  }
}

/// A compute set, repeated, of so many vertices on each tile that only exit.
Executable emptyVertices(std::uint32_t ipus, std::uint32_t tilesPerIpu,
                         std::uint32_t perTile, std::uint32_t rounds) {
  Assembler code;
  code("EXITZ", {15});
  Executable exe = oneVertex(code);
  const std::uint32_t tiles = ipus * tilesPerIpu;
  exe.numIpus = ipus;
  exe.tilesPerIpu = tilesPerIpu;
  exe.tileSetup.assign(tiles, 0);
  exe.memoryEnd.assign(tiles, exe.memoryEnd[0]);
  exe.vertices.assign(std::size_t(tiles) * perTile, exe.vertices[0]);
  exe.tileVertices.clear();
  for (std::uint32_t tile = 0; tile != tiles; ++tile)
    exe.tileVertices.push_back({tile, {tile * perTile, perTile}});
  exe.computeSets[0].tiles = {0, tiles};
  Step repeat;
  repeat.kind = StepKind::Repeat;
  repeat.index = rounds;
  repeat.children = {0};
  exe.steps.push_back(repeat);
  exe.programs = {1};
  return exe;
}

void reportVertices(std::uint32_t ipus, std::uint32_t tilesPerIpu,
                    std::uint32_t perTile) {
  constexpr std::uint32_t Vertices = 10'000'000;
  const std::uint32_t inRound = ipus * tilesPerIpu * perTile;
  const std::uint32_t rounds = Vertices / inRound + 1;
  SessionOptions options;
  options.threads = 1;
  auto session = Session::create(std::make_shared<Executable>(emptyVertices(
                                     ipus, tilesPerIpu, perTile, rounds)),
                                 options);
  session->run(0); // sets up the tiles
  const std::clock_t start = std::clock();
  session->run(0);
  const double seconds =
      static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%2u IPUs, %4u tiles each, %3u vertices a tile  %5.1f ns a "
              "vertex\n",
              ipus, tilesPerIpu, perTile,
              seconds * 1e9 / (double(inRound) * rounds));
}

/// Sixteen bundles, to make the branch of the loop rare.
void scalar(Assembler &code) {
  code("SETZI_m", {8, Inner});
  const std::int64_t start = code.hereWord();
  code("SHR_rz", {4, 9, 1})("XOR_rr", {9, 9, 4})("ADD_rs", {9, 9, 77});
  code("AND_m_rz", {5, 9, 1})("ADD_rr", {6, 6, 5});
  code("BRNZDEC", {8, start});
}

void reportCode() {
  report("scalar: shifts, logic, sums, branch", loop(scalar));
  report("f32v2: ld2x64pace, f32v2mac", streaming([](Assembler &code) {
           code.bundle("LD2X64PACE", {0, 2, 2, 7, 0}, "F32V2MAC", {0, 2});
         }));
  report("f16v4: ld2x64pace, f16v4cmac", streaming([](Assembler &code) {
           code.bundle("LD2X64PACE", {0, 2, 2, 7, 0}, "F16V4CMAC", {0, 2});
         }));
  report(
      "f16v4: ld2xst64pace, f16v4add; f16v4mul", streaming([](Assembler &code) {
        code.bundle("LD2XST64PACE", {0, 4, 2, 7, 0x10}, "F16V4ADD", {4, 0, 2});
        code.bundle("LD2X64PACE", {0, 2, 2, 7, 0}, "F16V4MUL", {4, 0, 2});
      }));
  report("f16v8: ld2x64pace, f16v8acc", streaming([](Assembler &code) {
           code.bundle("LD2X64PACE", {0, 2, 2, 7, 0}, "F16V8ACC", {0});
         }));
  report("matrix f16: ld2xst64pace, f16v4sisoamp",
         streaming([](Assembler &code) {
           for (std::int64_t phase : {2, 3, 0, 1})
             code.bundle("LD2XST64PACE", {0, 4 + 2 * (phase % 2), 2, 7, 0x10},
                         "F16V4SISOAMP", {4 + 2 * (phase % 2), 0, 2, phase});
         }));
  report("matrix f16, two sets: f16v4hihov4amp", streaming([](Assembler &code) {
           for (std::int64_t phase : {2, 3, 0, 1})
             code.bundle("LD2XST64PACE", {0, 4 + 2 * (phase % 2), 2, 7, 0x10},
                         "F16V4HIHOV4AMP", {4 + 2 * (phase % 2), 0, 2, phase});
         }));
  report("matrix f32: pace, f32sisoamp", streaming([](Assembler &code) {
           for (std::int64_t phase = 0; phase != 8; ++phase)
             code.bundle("LD2X64PACE", {0, 2, 2, 7, 0}, "F32SISOAMP",
                         {phase % 2 ? 14 : 4, phase % 2, 2, phase});
         }));
  report("matrix f32, two sets: f32sisov2amp", streaming([](Assembler &code) {
           for (std::int64_t phase = 0; phase != 8; ++phase)
             code.bundle("LD2XST64PACE", {0, 4, 2, 7, 0x10}, "F32SISOV2AMP",
                         {4, phase % 2, 2, phase});
         }));
  report("matrix f32, two sets: ten positions", loop([](Assembler &code) {
           code("SETZI_m", {5, 0x90000});
           shortPass(code);
         }));
  report("the same in windows of six workers", shortWindows(),
         VertexKind::Supervisor);
  report("slim convolution: f16v4hihoslic", streaming([](Assembler &code) {
           code.bundle("LD2X64PACE", {0, 2, 2, 7, 0}, "F16V4HIHOSLIC",
                       {4, 0, 2, 0});
         }));
}

void reportLaunches() {
  for (std::uint32_t perTile : {1, 6, 100})
    for (std::uint32_t tiles : {1, 1472})
      reportVertices(1, tiles, perTile);
  reportVertices(16, 1472, 1);
  reportVertices(16, 1472, 6);
}

} // namespace

int main(int argc, char **argv) {
  const std::string_view only = argc > 1 ? argv[1] : "";
  if (only != "launches")
    reportCode();
  if (only != "code")
    reportLaunches();
  return 0;
}
