// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds the runtime with what nobody should: damaged .ipux files, and random
// words as code.
//
//   RuntimeFuzz ipux|code SECONDS [SEED]
//
// Every input must be refused, fault, or run to its end. Build it with the asan
// preset, so that anything else is seen. Seconds are of processor time. The
// seed of each round is printed if the round does not end well, and reproduces
// it.

#include "test/unit/Emulator/Assembler.h"
#include "test/unit/Runtime/TestPrograms.h"

#include "runtime/Emulator/DecodeTable.h"
#include "runtime/Format/Ipux.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <random>
#include <sstream>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

using Random = std::mt19937_64;
using Bytes = std::vector<std::uint8_t>;

std::size_t below(Random &random, std::size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

/// Runs a program for a short time.
void runBriefly(const VerifiedExecutable &executable, Random &random) {
  constexpr std::uint64_t MostCycles = 20000;
  // A damaged program may be huge, which is no mistake.
  if (executable->numTiles() > 64 || executable->device != DeviceKind::Ipu)
    return;
  SessionOptions options;
  options.threads = 1;
  options.maxCycles = MostCycles;
  options.engine = Engine::Interpreter;
  std::ostringstream out;
  if (random() % 4 == 0)
    options.watch.checks = *CheckOptions::parse("all");
  if (random() % 16 == 0)
    options.watch.trace.out = &out;
  try {
    auto session = Session::create(executable, options);
    session->setPrintStream(out);
    const Executable &exe = session->executable();
    for (std::uint32_t i = 0; i != exe.streams.size(); ++i)
      session->connectStream(i, [](void *buffer, std::size_t bytes) {
        std::memset(buffer, 1, bytes);
      });
    for (std::uint32_t i = 0; i != exe.programs.size(); ++i)
      session->run(i);
  } catch (const RunError &) {
  }
}

// ---- Damaged files ----------------------------------------------------------

void damage(Bytes &bytes, Random &random) {
  constexpr std::uint32_t Values[] = {
      0, 1, 2, 3, 4, 0x7f, 0xff, 0x4c000, 0xe8000, 0x7fffffff, 0xffffffff};
  for (std::size_t left = 1 + below(random, 6); left != 0; --left) {
    const std::size_t at = below(random, bytes.size());
    switch (random() % 5) {
    case 0:
      bytes[at] = static_cast<std::uint8_t>(random());
      break;
    case 1:
      bytes[at] ^= 1 << random() % 8;
      break;
    case 2: {
      const std::uint32_t value = Values[below(random, std::size(Values))];
      std::memcpy(&bytes[at], &value,
                  std::min<std::size_t>(4, bytes.size() - at));
      break;
    }
    case 3: {
      const std::size_t from = below(random, bytes.size());
      const std::size_t size = below(random, bytes.size() - std::max(at, from));
      std::memmove(&bytes[at], &bytes[from], size);
      break;
    }
    case 4:
      if (random() % 8 == 0)
        bytes.resize(1 + at);
      break;
    }
  }
}

void fuzzIpux(Random &random) {
  static const std::vector<Bytes> seeds = {
      serializeExecutable(emulatedScaleProgram()),
      serializeExecutable(scaleProgram(DeviceKind::IpuModel))};
  Bytes bytes = seeds[below(random, seeds.size())];
  damage(bytes, random);
  // The size in the header is right, or nothing else would be read.
  const std::uint64_t size = bytes.size();
  if (size >= 24)
    std::memcpy(&bytes[16], &size, sizeof(size));
  try {
    runBriefly(parseExecutable(bytes, "damaged"), random);
  } catch (const FormatError &) {
  }
}

// ---- Random code ------------------------------------------------------------

std::uint32_t randomWord(Random &random) {
  const auto rows = emulator::rows();
  const auto noise = static_cast<std::uint32_t>(random());
  if (random() % 16 == 0)
    return noise;
  const emulator::RowInfo &row = rows[below(random, rows.size())];
  std::uint32_t word = row.value;
  for (unsigned i = 0; i != row.numOperands; ++i) {
    const emulator::OperandInfo &operand = row.operands[i];
    std::uint32_t field = static_cast<std::uint32_t>(random());
    if (operand.width >= 16 && random() % 2)
      field = (CodeBase / 4) + below(random, 64); // a target
    word |= (field & ((1u << operand.width) - 1)) << operand.low;
  }
  return word;
}

void fuzzCode(Random &random) {
  Assembler code;
  // Addresses that are good, and some that are nearly good.
  for (int i = 0; i != 6; ++i)
    code("SETZI_m",
         {i, static_cast<std::int64_t>(DataBase + below(random, 0x4000) * 4 +
                                       (random() % 8 == 0))});
  for (std::size_t left = 8 + below(random, 56); left != 0; --left) {
    std::uint32_t word = randomWord(random) & 0x7fffffff;
    if (random() % 3 == 0 && (word & 0x40000000) == 0)
      word |= 0x80000000;
    code.word(word);
  }
  constexpr VertexKind Kinds[] = {VertexKind::Worker, VertexKind::Supervisor,
                                  VertexKind::Multi};
  runBriefly(VerifiedExecutable(oneVertex(code, Kinds[below(random, 3)])),
             random);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return std::fprintf(stderr, "RuntimeFuzz ipux|code SECONDS [SEED]\n"), 2;
  const bool ipux = std::string(argv[1]) == "ipux";
  const double limit = std::atof(argv[2]) * CLOCKS_PER_SEC;
  std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const std::clock_t start = std::clock();
  std::uint64_t rounds = 0;
  for (; double(std::clock() - start) < limit; ++rounds, ++seed) {
    Random random(seed);
    try {
      ipux ? fuzzIpux(random) : fuzzCode(random);
    } catch (const std::exception &error) {
      std::fprintf(stderr, "seed %llu: %s\n",
                   static_cast<unsigned long long>(seed), error.what());
      return 1;
    }
  }
  std::printf("%llu rounds, up to seed %llu\n",
              static_cast<unsigned long long>(rounds),
              static_cast<unsigned long long>(seed));
}
