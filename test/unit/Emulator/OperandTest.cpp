// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every arithmetic instruction of the table with every pair of corner operands:
// zeros, denormals, the largest and the least numbers, infinities, NaNs, signs
// and widths, with both engines against Reference.cpp. Rows come from the
// table, so a new instruction is tested as soon as the reference knows its
// name, and the last test says so if nothing does.

#include "Assembler.h"
#include "Reference.h"

#include "runtime/Emulator/Code/DecodeTable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <regex>

using namespace populus::runtime;
using namespace populus::runtime::emulator;
using namespace populus::runtime::test;

namespace {

using u32 = std::uint32_t;

const std::vector<u32> SingleCorners = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000,
    0x80800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x40200000, 0x3f000000,
    0x4b000001, 0x4f000000, 0xcf000000, 0x5f800000, 0x7f7fffff, 0xff7fffff,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffa00001};
const std::vector<u32> HalfCorners = {
    0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x8400, 0x3c00,
    0xbc00, 0x3c01, 0x4100, 0x3800, 0x1400, 0x5bff, 0x63d1, 0x7800,
    0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfd01};
const std::vector<u32> IntegerCorners = {
    0,          1,          2,          7,          31,         32,
    33,         0x7f,       0x80,       0x7fff,     0x8000,     0xffff,
    0x10000,    0x00ffffff, 0x01000001, 0x7fffff80, 0x7fffffff, 0x80000000,
    0x80000001, 0xffff8000, 0xfffffffe, 0xffffffff, 0x12345678, 0xfedcba98};

std::vector<Operands4> pairsOf(const std::vector<u32> &corners, bool halves) {
  std::vector<Operands4> result;
  const std::size_t count = corners.size();
  for (std::size_t i = 0; i != count; ++i)
    for (std::size_t j = 0; j != count; ++j) {
      // Other lanes hold other corners.
      const auto other = [&](std::size_t a, std::size_t b) {
        return corners[(a * i + b * j + a) % count];
      };
      if (halves)
        result.push_back(
            {corners[i] | other(3, 5) << 16, other(1, 7) | other(5, 1) << 16,
             corners[j] | other(7, 1) << 16, other(1, 2) | other(2, 9) << 16});
      else
        result.push_back({corners[i], other(3, 5), corners[j], other(5, 1)});
    }
  return result;
}

const std::vector<Operands4> &inputsOf(Inputs inputs) {
  static const std::vector<Operands4> tables[] = {
      pairsOf(SingleCorners, false), pairsOf(HalfCorners, true),
      pairsOf(IntegerCorners, false)};
  return tables[static_cast<unsigned>(inputs)];
}

/// One instruction and what it should give.
struct Case {
  std::string row;
  std::vector<std::int64_t> operands;
  bool isMain; // result in $m6, else in $a4:5
  std::function<Expected(const Operands4 &)> expect;
};

constexpr Address InputsAt = InterleavedBase, ResultsAt = 0x90000;
constexpr std::size_t RecordWords = 4; // low, high, flags, nothing

/// A loop over all inputs that executes all cases.
Executable program(const std::vector<Case> &cases,
                   const std::vector<Operands4> &inputs) {
  Assembler code;
  code("SETZI_m", {2, InputsAt})("SETZI_m", {3, ResultsAt});
  code("SETZI_m", {1, std::int64_t(inputs.size()) - 1})("SETZI_a", {7, 7});
  const std::int64_t loop = code.hereWord();
  code("LD64STEP_i", {0, 15, 2, 1})("LD64STEP_i", {2, 15, 2, 1});
  code("ATOM", {4, 0})("ATOM", {5, 2});
  for (const Case &test : cases) {
    code("OR64", {4, 14, 14})("UPUT", {1, 7});
    code(test.row, test.operands);
    if (test.isMain)
      code("ST32STEP_m_i", {6, 15, 3, 1})("ST32STEP_m_i", {15, 15, 3, 1});
    else
      code("ST64STEP_i", {4, 15, 3, 1});
    code("OR64", {4, 14, 14})("UGET", {4, 0})("ST64STEP_i", {4, 15, 3, 1});
  }
  code("BRNZDEC", {1, loop})("EXITZ", {15});
  Executable exe = oneVertex(code);
  const auto bytes = static_cast<u32>(sizeof(Operands4) * inputs.size());
  Payload payload{"inputs", std::vector<std::uint8_t>(bytes)};
  std::memcpy(payload.bytes.data(), inputs.data(), bytes);
  exe.data.push_back({0, InputsAt, u32(exe.payloads.size()), bytes, 0});
  exe.payloads.push_back(payload);
  exe.memoryEnd = {0xe0000};
  const auto words =
      static_cast<u32>(RecordWords * cases.size() * inputs.size());
  exe.segments = {{0, ResultsAt, 4 * words}};
  exe.tensors[0].shape = {words};
  return exe;
}

std::vector<u32> results(const Executable &exe, Engine engine) {
  SessionOptions options;
  options.engine = engine;
  options.threads = 1;
  auto session = Session::create(std::make_shared<Executable>(exe), options);
  session->run(0);
  EXPECT_EQ(session->stats().engine,
            engine == Engine::Translated ? "translated" : "interpreter");
  std::vector<u32> words(exe.tensors[0].shape[0]);
  session->readTensor(0, words.data());
  return words;
}

/// True if lanes differ by at most `expected.ulps` units in the last place.
bool isNear(u32 a, u32 b, const Expected &expected) {
  if (a == b || expected.ulps == 0)
    return a == b;
  const unsigned laneBits = expected.halves ? 16 : 32;
  for (unsigned at = 0; at != 32; at += laneBits) {
    const u32 mask = expected.halves ? 0xffff : 0xffffffff;
    const std::int64_t x = a >> at & mask, y = b >> at & mask;
    if (std::abs(x - y) > expected.ulps)
      return false;
  }
  return true;
}

std::string hex(u32 value) {
  char text[16];
  std::snprintf(text, sizeof(text), "%08x", value);
  return text;
}

void check(const std::vector<Case> &cases, Inputs kind) {
  // So many that the results fit into the tile.
  constexpr std::size_t AtOnce = 20;
  const std::vector<Operands4> &inputs = inputsOf(kind);
  for (std::size_t first = 0; first < cases.size(); first += AtOnce) {
    const std::vector<Case> some(cases.begin() + first,
                                 cases.begin() +
                                     std::min(first + AtOnce, cases.size()));
    const Executable exe = program(some, inputs);
    const std::vector<u32> got = results(exe, Engine::Interpreter);
    EXPECT_EQ(results(exe, Engine::Translated), got);
    std::vector<unsigned> wrong(some.size());
    for (std::size_t i = 0; i != inputs.size() * some.size(); ++i) {
      const Case &test = some[i % some.size()];
      const Operands4 &in = inputs[i / some.size()];
      const Expected expected = test.expect(in);
      const u32 *record = &got[RecordWords * i];
      const bool right = isNear(record[0], expected.low, expected) &&
                         isNear(record[1], expected.high, expected) &&
                         record[2] == expected.flags;
      if (right || ++wrong[i % some.size()] > 3)
        continue;
      ADD_FAILURE() << test.row << " " << hex(in[0]) << ":" << hex(in[1]) << " "
                    << hex(in[2]) << ":" << hex(in[3]) << " gives "
                    << hex(record[0]) << ":" << hex(record[1]) << " flags "
                    << record[2] << ", expected " << hex(expected.low) << ":"
                    << hex(expected.high) << " flags " << expected.flags;
    }
  }
}

// ---- Which rows there are ---------------------------------------------------

std::vector<Case> rowCases(Inputs kind) {
  std::vector<Case> cases;
  for (const RowInfo &row : rows()) {
    const std::optional<Reference> reference = rowReference(row.name);
    if (!reference || reference->inputs != kind)
      continue;
    std::vector<std::int64_t> operands = {4, 0};
    if (reference->sources == 2)
      operands.push_back(2);
    cases.push_back({row.name, operands, false, reference->expect});
  }
  return cases;
}

/// Fields at the ends of an immediate's range, and some between.
std::vector<u32> immediates(const OperandInfo &info) {
  const u32 most = (1u << info.width) - 1, top = 1u << (info.width - 1);
  return {0, 1, 31, 32, top - 1, top, most};
}

u32 valueOf(const OperandInfo &info, u32 field) {
  if (info.kind == OperandKind::High12)
    return field << 20;
  const u32 sign = 1u << (info.width - 1);
  return info.kind == OperandKind::Signed ? (field ^ sign) - sign : field;
}

bool isRegister(const OperandInfo &info) {
  return info.kind <= OperandKind::AWrite;
}

/// Instructions of one destination and one or two sources of one word each, of
/// which one may be an immediate.
bool isPlain(const RowInfo &row) {
  if (row.numOperands < 2 || row.numOperands > 3 || row.isSystem ||
      row.isControl)
    return false;
  return std::all_of(row.operands, row.operands + row.numOperands,
                     [](const OperandInfo &info) {
                       return !isRegister(info) || info.words == 1;
                     });
}

/// The first source as the suffixes _bl and _bu of permutes take it.
u32 broadcast(const std::string &row, u32 x) {
  if (row.ends_with("_bl"))
    return (x & 0xffff) * 0x10001;
  return row.ends_with("_bu") ? (x >> 16) * 0x10001 : x;
}

std::vector<Case> integerCases() {
  std::vector<Case> cases;
  for (const RowInfo &row : rows()) {
    const std::optional<IntegerFunction> function =
        integerReference(row.mnemonic);
    if (!function || !isPlain(row))
      continue;
    const bool isMain = row.operands[0].kind == OperandKind::MWrite;
    const std::int64_t result = isMain ? 6 : 4;
    const std::int64_t sources[] = {isMain ? 4 : 0, isMain ? 5 : 2};
    const std::string name = row.name;
    const auto add = [&](std::vector<std::int64_t> operands, auto value) {
      cases.push_back(
          {name, std::move(operands), isMain, [value](const Operands4 &in) {
             Expected expected;
             expected.low = value(in);
             return expected;
           }});
    };
    const IntegerFunction f = *function;
    if (row.numOperands == 2) {
      add({result, sources[0]},
          [f](const Operands4 &in) { return f(in[0], 0); });
    } else if (isRegister(row.operands[1]) && isRegister(row.operands[2])) {
      add({result, sources[0], sources[1]}, [f, name](const Operands4 &in) {
        return f(broadcast(name, in[0]), in[2]);
      });
    } else {
      const unsigned at = isRegister(row.operands[1]) ? 2 : 1;
      for (u32 field : immediates(row.operands[at])) {
        const u32 imm = valueOf(row.operands[at], field);
        if (at == 2)
          add({result, sources[0], field},
              [f, imm](const Operands4 &in) { return f(in[0], imm); });
        else
          add({result, field, sources[0]},
              [f, imm](const Operands4 &in) { return f(imm, in[0]); });
      }
    }
  }
  return cases;
}

TEST(OperandTest, SinglesAtTheCorners) {
  const std::vector<Case> cases = rowCases(Inputs::Singles);
  EXPECT_GT(cases.size(), 40u);
  check(cases, Inputs::Singles);
}

TEST(OperandTest, HalvesAtTheCorners) {
  const std::vector<Case> cases = rowCases(Inputs::Halves);
  EXPECT_GT(cases.size(), 70u);
  check(cases, Inputs::Halves);
}

TEST(OperandTest, IntegersAtTheCorners) {
  std::vector<Case> cases = integerCases();
  EXPECT_GT(cases.size(), 100u);
  const std::vector<Case> conversions = rowCases(Inputs::Integers);
  cases.insert(cases.end(), conversions.begin(), conversions.end());
  check(cases, Inputs::Integers);
}

/// Rows that other tests are for.
constexpr const char *Elsewhere[] = {
    // Memory: MemoryTest, EngineTest.
    "(LD|ST)[A-Z0-9]+.*|TAPACK",
    // Control and system: ControlTest, SupervisorTest, FaultTest.
    "BR.*|CALL|EXIT.*|RPT.*|RUN.*|SYNC|TRAP|U?GET|U?PUT|ATOM|SETZI.*|MOVN?Z",
    // Accumulators, matrix units: FloatTest, EngineTest.
    "F(16|32).*(MAC|ACC|AXPY|MIX|GINA|AOP)|F.*(SO|HO)(V2|V4)?(AMP|SLIC)",
    // Random numbers: RandomTest.
    "URAND.*|F.*(GRAND|RMASK|SUFROMUI)",
    // Rounding modes: FloatTest.
    "F32INT",
};

TEST(OperandTest, EveryRowHasATest) {
  for (const RowInfo &row : rows()) {
    const std::string name = row.name;
    const bool here =
        rowReference(name) || (integerReference(row.mnemonic) && isPlain(row));
    const bool elsewhere = std::any_of(
        std::begin(Elsewhere), std::end(Elsewhere), [&](const char *pattern) {
          return std::regex_match(name, std::regex(pattern));
        });
    EXPECT_NE(here, elsewhere) << name;
  }
}

} // namespace
