// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds the runtime with what nobody should: damaged .ipux files, random words
// as code, and random vertices that are run in several ways.
//
//   RuntimeFuzz ipux|code|engines SECONDS [SEED [FILE.ipux...]]
//
// Every input must be refused, fault, or run to its end, and do the same in
// each way. Build it with the asan preset, so that anything else is seen.
// Seconds are of processor time. The seed of each round is printed if the round
// does not end well, and reproduces it with the same files. Files are damaged
// beside two small programs.

#include "test/unit/Emulator/RandomCode.h"
#include "test/unit/Runtime/TestPrograms.h"

#include "runtime/Format/Ipux.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <span>
#include <sstream>
#include <utility>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

using Random = std::mt19937_64;
using Bytes = std::vector<std::uint8_t>;

std::size_t below(Random &random, std::size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

/// Programs that ran to their end, so that they are about something.
std::uint64_t ends = 0;

/// Runs a program for a short time.
void runBriefly(const VerifiedExecutable &executable, Random &random) {
  constexpr std::uint64_t MostCycles = 20000;
  // A damaged program may be huge, which is no mistake.
  if (executable->numTiles() > 64 || executable->device != DeviceKind::Ipu)
    return;
  SessionOptions options;
  options.threads = 1;
  options.maxCycles = MostCycles;
  options.engine =
      random() % 32 == 0 ? Engine::Translated : Engine::Interpreter;
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
        std::fill_n(static_cast<std::uint8_t *>(buffer), bytes, 1);
      });
    for (std::uint32_t i = 0; i != exe.programs.size(); ++i)
      session->run(i);
    ++ends;
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

/// Inputs that are mutated.
std::vector<Bytes> seeds;

void readSeeds(std::span<char *> files) {
  seeds = {serializeExecutable(emulatedScaleProgram()),
           serializeExecutable(scaleProgram(DeviceKind::IpuModel))};
  for (const char *name : files) {
    std::ifstream file(name, std::ios::binary);
    seeds.push_back({std::istreambuf_iterator<char>(file), {}});
    parseExecutable(seeds.back(), name);
  }
}

void fuzzIpux(Random &random) {
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
  const auto table = rows();
  const auto noise = static_cast<std::uint32_t>(random());
  if (random() % 16 == 0)
    return noise;
  const RowInfo &row = table[below(random, table.size())];
  std::uint32_t word = row.value;
  for (unsigned i = 0; i != row.numOperands; ++i) {
    const OperandInfo &operand = row.operands[i];
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

// ---- Several ways to run the same -------------------------------------------

/// The first registers of workers, as the vertex's state.
constexpr std::uint32_t StateWords = 12;
using State = std::array<std::uint32_t, StateWords>;

/// Pointers to `at` and near it, triples of addresses, strides, small numbers.
State randomState(Generator &random, Address at) {
  const auto near = [&] { return at + random.below(4) * 0x200; };
  const std::uint32_t step = random.oneOf<std::uint32_t>({0, 8, 8, 48, 16});
  const std::uint32_t store = near();
  State state = {near(),
                 step,
                 near(),
                 step,
                 (at & 0x1fffff) | store << 21,
                 ((at + 0x200) & 0x1fffff) | (store >> 11 & 0x3ff) << 21,
                 random.oneOf<std::uint32_t>({0, 1, 2, 0x3ff, 0x801, 0x80402})};
  for (unsigned i = 7; i != StateWords; ++i)
    state[i] = random.below(64);
  return state;
}

/// Moves the pointers of workers that share a state to places of their own.
void spreadWorkers(Assembler &code) {
  // Their bases are 0x1000 apart.
  code("SETZI_m", {11, 0x7000})("AND_m_rr", {11, 11, 12});
  for (unsigned pointer : {0, 2, 4, 5})
    code("ADD_rr", {pointer, pointer, 11});
  // The upper bits of a triple's third address, in units of 0x800.
  code("SHL_rz", {10, 11, 10})("ADD_rr", {5, 5, 10});
}

/// Workers, or a supervisor that starts some of them in its own ways.
Assembler randomVertexCode(Generator &random, VertexKind kind) {
  Assembler code;
  for (unsigned i = 0; i != StateWords; ++i)
    code("LD32_m_bdi", {i, 13, 15, i});
  const bool supervised = kind == VertexKind::Supervisor;
  if (kind != VertexKind::Worker && random.below(4) != 0)
    spreadWorkers(code);
  for (std::uint32_t word : workerCode(random))
    code.word(word);
  if (supervised) {
    while (code.words.size() != SupervisorAt)
      code("TRAP", {0});
    for (std::uint32_t word : supervisorCode(random))
      code.word(word);
  }
  return code;
}

/// Copies a part of a state, or of what may be one, from another: vertices go
/// other ways from then on.
CopyPiece randomCopy(Generator &random, std::uint32_t tiles,
                     std::uint32_t vertices) {
  const bool ofVertex = vertices != 1 && random.below(2) == 0;
  const std::uint32_t stride = ofVertex ? sizeof(State) : 64;
  const std::uint32_t count = ofVertex ? vertices : 0x200;
  const std::uint32_t word = random.below(StateWords);
  const std::uint32_t words = 1 + random.below(StateWords - word);
  const Address first = (ofVertex ? StateAt : WorkData) + 4 * word;
  const std::uint32_t from = random.below(count);
  const std::uint32_t to = (from + 1 + random.below(count - 1)) % count;
  return {random.below(tiles), first + from * stride, random.below(tiles),
          first + to * stride, 4 * words};
}

/// Vertices on some tiles that program 0 executes a few times; programs 1 and 2
/// are copies between them. Those of a tile use the same memory, places side by
/// side, or places of their own.
Executable randomVertices(Generator &random) {
  const VertexKind kind = random.oneOf(
      {VertexKind::Worker, VertexKind::Multi, VertexKind::Supervisor});
  const bool supervised = kind == VertexKind::Supervisor;
  Executable exe = oneVertex(randomVertexCode(random, kind), kind);

  const std::uint32_t tiles = 1 + random.below(3);
  exe.tilesPerIpu = tiles;
  exe.tileSetup.assign(tiles, 0);
  exe.memoryEnd.assign(tiles, Hi);

  // Workers that a supervisor starts find a state wherever they look.
  Payload &data = exe.payloads.emplace_back();
  data.name = "data";
  data.bytes.resize(0x8000);
  for (Address at = 0; at + 64 <= data.bytes.size(); at += 64) {
    const State state = randomState(random, WorkData + at % 0x6000);
    std::memcpy(&data.bytes[at], state.data(), sizeof(state));
  }
  const std::uint32_t dataBytes = static_cast<std::uint32_t>(data.bytes.size());

  const std::uint32_t count = random.oneOf<std::uint32_t>({1, 2, 6, 6, 7, 13});
  const Address apart =
      random.oneOf<Address>({0, 4, 8, 0x100, 0x1000, 0x1000, 0x1000});
  Payload &states = exe.payloads.emplace_back();
  states.name = "states";
  exe.vertexTypes[0].stateBytes = sizeof(State);
  exe.vertices.clear();
  for (std::uint32_t i = 0; i != count; ++i) {
    const State state = randomState(random, WorkData + i * apart);
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(state.data());
    states.bytes.insert(states.bytes.end(), bytes, bytes + sizeof(state));
    const std::uint32_t stateAt = StateAt + i * sizeof(State);
    exe.vertices.push_back(
        {0, CodeBase + (supervised ? 4 * SupervisorAt : 0), stateAt, 0});
  }
  const std::uint32_t statesBytes =
      static_cast<std::uint32_t>(states.bytes.size());

  const bool shared = random.below(4) == 0;
  exe.data.clear();
  exe.tileVertices.clear();
  for (std::uint32_t tile = 0; tile != tiles; ++tile) {
    exe.data.push_back({tile, StateAt, 2, statesBytes, 0});
    exe.data.push_back({tile, WorkData, 1, dataBytes, 0});
    exe.tileVertices.push_back({tile, {shared ? 0 : tile * count, count}});
  }
  // Tiles may share what describes a vertex, or each may have its own.
  if (!shared) {
    const std::vector<Vertex> first = exe.vertices;
    for (std::uint32_t tile = 1; tile != tiles; ++tile)
      exe.vertices.insert(exe.vertices.end(), first.begin(), first.end());
  }
  if (random.below(2) == 0) { // checks know what the vertices were given
    exe.vertexTypes[0].fields = {
        {"data", 0, 4, FieldAccess::InOut, 4, 8, false}};
    exe.regions.assign(exe.vertices.size(), {WorkData, dataBytes, 0});
    for (std::uint32_t i = 0; i != exe.vertices.size(); ++i)
      exe.firstRegion.push_back(i);
  }
  exe.computeSets = {{"cs", {0, tiles}}};
  const std::uint32_t repeat =
      addStep(exe, {StepKind::Repeat,
                    random.oneOf<std::uint32_t>({1, 2, 5}),
                    None,
                    "",
                    {0},
                    {}});
  exe.programs = {repeat};
  for (std::uint32_t index : {0u, 1u}) {
    exe.copyPieces.push_back(randomCopy(random, tiles, count));
    exe.exchanges.push_back({"move", {index, 1}});
    exe.programs.push_back(
        addStep(exe, {StepKind::Exchange, index, None, "", {}, {}}));
  }
  return exe;
}

/// Results that must not depend on the way of execution. A failed run has only
/// a reason.
struct Seen {
  std::string fault;
  std::uint64_t cycles = 0, bundles = 0;
  std::vector<std::uint32_t> registers;
  std::vector<std::vector<std::byte>> memory;
  std::vector<std::string> findings; // of checks
  bool operator==(const Seen &) const = default;
};

Seen runAndLook(const VerifiedExecutable &executable,
                std::span<const std::uint32_t> programs,
                SessionOptions options) {
  options.maxCycles = 300000;
  auto session = Session::create(executable, options);
  Seen seen;
  try {
    for (std::uint32_t program : programs)
      session->run(program);
  } catch (const RunError &error) {
    seen.fault = error.what();
    return seen;
  }
  for (const Finding &finding : session->findings())
    seen.findings.push_back(finding.json());
  seen.cycles = session->stats().cycles.total;
  seen.bundles = session->stats().bundles;
  for (std::uint32_t tile = 0; tile != executable->numTiles(); ++tile) {
    const auto bytes = session->tileMemory(tile).bytes;
    seen.memory.emplace_back(bytes.begin(), bytes.end());
    for (const ContextState &state : session->contexts(tile)) {
      seen.registers.insert(seen.registers.end(), state.m.begin(),
                            state.m.end());
      seen.registers.insert(seen.registers.end(), state.a.begin(),
                            state.a.end());
      seen.registers.insert(seen.registers.end(),
                            {state.number, state.fpStatus, state.fpControl});
    }
  }
  return seen;
}

void fuzzEngines(Random &random) {
  Generator generator(random());
  SessionOptions options;
  options.threads = 1;
  options.engine = Engine::Interpreter;
  std::vector<std::uint32_t> programs = {0};
  for (unsigned left = generator.below(12); left != 0; --left)
    programs.push_back(generator.oneOf({0u, 0u, 1u, 2u}));
  // Most often one that does not fault.
  VerifiedExecutable executable(randomVertices(generator));
  Seen seen = runAndLook(executable, programs, options);
  for (unsigned tries = generator.below(16); tries != 0; --tries) {
    if (seen.fault.empty())
      break;
    executable = VerifiedExecutable(randomVertices(generator));
    seen = runAndLook(executable, programs, options);
  }
  ends += seen.fault.empty();

  options.engine = Engine::Translated;
  options.threads = 1 + generator.below(2);
  if (runAndLook(executable, programs, options) != seen)
    throw std::runtime_error("translated code does something else");
  options.engine = Engine::Auto;
  if (generator.below(4) == 0 &&
      runAndLook(executable, programs, options) != seen)
    throw std::runtime_error("code that is translated on the way does "
                             "something else");
  if (generator.below(4) != 0)
    return;
  options.engine = Engine::Translated;
  options.watch.checks = *CheckOptions::parse("all");
  Seen checked = runAndLook(executable, programs, options);
  options.engine = Engine::Interpreter;
  if (runAndLook(executable, programs, options) != checked)
    throw std::runtime_error("checks find something else in translated code");
  checked.findings.clear();
  if (checked != seen)
    throw std::runtime_error("checked code does something else");
}

/// Rounds until the time is over, and what came of them. False: one of them did
/// not end well.
bool fuzz(void (*kind)(Random &), double seconds, std::uint64_t seed) {
  const auto print = [](const char *text, std::uint64_t number) {
    std::printf(text, static_cast<unsigned long long>(number));
  };
  const std::uint64_t first = seed;
  const auto limit = static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
  const std::clock_t start = std::clock();
  // A round that takes long may be one that would take for ever.
  std::clock_t slowest = 0;
  std::uint64_t slowestSeed = seed;
  for (std::clock_t now = start; now - start < limit; ++seed) {
    Random random(seed);
    try {
      kind(random);
    } catch (const std::exception &error) {
      std::fprintf(stderr, "seed %llu: %s\n",
                   static_cast<unsigned long long>(seed), error.what());
      return false;
    }
    const std::clock_t before = std::exchange(now, std::clock());
    if (now - before > slowest) {
      slowest = now - before;
      slowestSeed = seed;
    }
  }
  print("%llu rounds, ", seed - first);
  print("up to seed %llu\n", seed);
  print("%llu ran to their end\n", ends);
  print("the slowest, seed %llu, ", slowestSeed);
  print("took %llu ms\n",
        static_cast<std::uint64_t>(slowest) * 1000 / CLOCKS_PER_SEC);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  const std::map<std::string, void (*)(Random &)> kinds = {
      {"ipux", fuzzIpux}, {"code", fuzzCode}, {"engines", fuzzEngines}};
  const auto kind = kinds.find(argc < 3 ? "" : argv[1]);
  if (kind == kinds.end())
    return std::fprintf(stderr, "RuntimeFuzz ipux|code|engines SECONDS [SEED "
                                "[FILE.ipux...]]\n"),
           2;
  try {
    readSeeds(std::span(argv + std::min(argc, 4), argv + argc));
  } catch (const FormatError &error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
  }
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  return fuzz(kind->second, std::atof(argv[2]), seed) ? 0 : 1;
}
