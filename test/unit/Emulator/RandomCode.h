// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random instructions for programs that two ways to execute them are compared
// by. Pointers are chosen near the ends of what may be accessed, and a little
// misaligned, so that many programs fault.

#ifndef POPULUS_TEST_UNIT_EMULATOR_RANDOMCODE_H
#define POPULUS_TEST_UNIT_EMULATOR_RANDOMCODE_H

#include "Assembler.h"

#include "runtime/Emulator/Code/DecodeTable.h"
#include "runtime/Format/Executable.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace populus::runtime::test {

using namespace emulator;

inline constexpr Address Lo = 0x4c000, Interleaved = 0x80000, Hi = 0xe8000;
/// Workers mostly read and write memory here.
inline constexpr Address WorkData = 0x90000;

class Generator {
public:
  explicit Generator(std::uint64_t seed) : random(seed) {}

  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(random() % n);
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(random()); }
  template <typename T> T oneOf(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<std::uint32_t>(values.size()))];
  }

  /// A word of an instruction for which `wanted` holds.
  template <typename Wanted> std::uint32_t instruction(Wanted wanted) {
    for (;;) {
      const RowInfo &row =
          rows()[below(static_cast<std::uint32_t>(rows().size()))];
      if (row.contexts != 2 && wanted(row))
        return encode(row);
    }
  }

  std::uint32_t pointer() {
    const Address near = oneOf<Address>(
        {Lo, 0x4d000, Interleaved, 0x90000, 0x90000, 0x90000, Hi - 64, Hi - 8});
    const std::uint32_t off =
        oneOf<std::uint32_t>({0, 0, 0, 0, 16, 32, 8, 4, 2, 1, 0x80000000});
    return near + off;
  }

private:
  std::uint32_t encode(const RowInfo &row) {
    std::uint32_t bits = row.value;
    const bool guided = below(8) != 0;
    for (unsigned i = 0; i != row.numOperands; ++i) {
      const OperandInfo &info = row.operands[i];
      // The second mention of a register that is read and written.
      if (i != 0 && info.low == row.operands[i - 1].low)
        continue;
      const std::uint32_t mask = (1u << info.width) - 1;
      std::uint32_t field = word() & mask;
      if (info.kind <= OperandKind::AWrite) {
        while ((info.legal >> field & 1) == 0)
          field = word() & mask;
        if (guided && info.kind <= OperandKind::MWrite && isAccess(row))
          field = addressRegister(row, info);
      } else if (info.width > 4 && guided) {
        field &= 3; // small immediates
      }
      bits |= field << info.low;
    }
    return bits;
  }

  static bool isAccess(const RowInfo &row) {
    const std::string_view name = row.name;
    return !row.isAux && (name.starts_with("LD") || name.starts_with("ST"));
  }
  /// Registers that hold what the operand should be (Machine).
  std::uint32_t addressRegister(const RowInfo &row, const OperandInfo &info) {
    if (std::string_view(row.name).find("PACE") != std::string_view::npos)
      return info.words == 2 ? 4 : oneOf({6u, 15u});
    if (info.kind == OperandKind::MWrite || info.slot == 0)
      return 8 + below(3);
    return info.slot == 1 ? oneOf({0u, 2u}) : oneOf({1u, 3u, 15u});
  }

  std::mt19937_64 random;
};

using Words = std::vector<std::uint32_t>;

inline CodeImage imageOf(const Words &words) {
  CodeImage image;
  image.base = Lo;
  image.bytes.resize(4 * words.size());
  std::memcpy(image.bytes.data(), words.data(), image.bytes.size());
  image.textBytes = image.bytes.size();
  return image;
}

/// Floats and halves of moderate size, most often, behind the code.
inline std::vector<std::uint8_t> randomMemory(const CodeImage &image,
                                              Generator &random) {
  std::vector<std::uint8_t> memory(Hi - Lo);
  for (std::size_t i = 0; i + 4 <= memory.size(); i += 4) {
    const std::uint32_t word = (random.word() & 0x83ff83ff) | 0x3c003c00;
    std::memcpy(&memory[i], &word, 4);
  }
  std::copy(image.bytes.begin(), image.bytes.end(), memory.begin());
  return memory;
}

/// True if all bytes are equal.
template <typename T> bool same(const T &x, const T &y) {
  return std::memcmp(&x, &y, sizeof(T)) == 0;
}

/// True if all accumulators are equal; all NaNs are equal.
template <typename T> bool sameSums(const T &xs, const T &ys) {
  return std::equal(
      &xs[0][0], &xs[0][0] + sizeof(xs) / sizeof(float), &ys[0][0],
      [](float x, float y) { return same(x, y) || (x != x && y != y); });
}

inline bool isPlainMain(const RowInfo &row) {
  return !row.isAux && !row.isControl && !row.isSystem && !row.noBundle;
}
inline bool isPlainAux(const RowInfo &row) {
  return row.isAux && !row.isSystem && !row.noBundle;
}
inline bool isMemoryAccess(const RowInfo &row) {
  const std::string name = row.name;
  return isPlainMain(row) && (name.starts_with("LD") || name.starts_with("ST"));
}

inline void addBundle(Words &words, Generator &random) {
  words.push_back(0x80000000 |
                  (random.below(3) == 0 ? random.instruction(isPlainMain)
                                        : random.instruction(isMemoryAccess)));
  words.push_back(random.instruction(isPlainAux));
}

/// An instruction of a fixed form: of the row, with some bits.
inline std::uint32_t rowWord(std::string_view name, std::uint32_t bits) {
  for (const RowInfo &row : rows())
    if (row.name == name)
      return row.value | bits;
  return 0;
}
inline std::uint32_t repeatWord(std::uint32_t count, std::uint32_t bundles) {
  return rowWord("RPT_i", count << 8 | (bundles - 1));
}
inline std::uint32_t exitWord() {
  for (const RowInfo &row : rows())
    if (std::string_view(row.name) == "EXITZ")
      return row.value | 15u << row.operands[0].low;
  return 0;
}

/// Code for workers: something in a straight line, then a hardware loop.
inline Words workerCode(Generator &random) {
  Words words;
  for (unsigned i = random.below(4); i != 0; --i)
    words.push_back(random.instruction(
        [](const RowInfo &row) { return isPlainMain(row); }));
  words.push_back(random.instruction(isMemoryAccess));
  if (words.size() % 2 == 0)
    words.push_back(rowWord("GET", 1 << 20 | 96)); // $m1 = $COUNT_L
  const std::uint32_t bundles = 1 + random.below(3);
  words.push_back(
      repeatWord(random.oneOf<std::uint32_t>({0, 1, 2, 40, 300}), bundles));
  for (std::uint32_t i = 0; i != bundles; ++i)
    addBundle(words, random);
  words.push_back(random.instruction(isMemoryAccess));
  words.push_back(exitWord());
  return words;
}

/// The start of supervisors, behind the workers' code; in words.
inline constexpr std::uint32_t SupervisorAt = 64;

/// A supervisor that stands there and starts workers in one way or another.
inline Words supervisorCode(Generator &random) {
  Assembler code;
  // $m4 is where workers begin, $m5 and $m6 point to memory.
  code("SETZI_m", {4, std::int64_t(Lo)});
  code("SETZI_m", {5, std::int64_t(WorkData - Lo)});
  code("SETZI_m", {6, std::int64_t(WorkData + 0x6000)});
  code("PUT", {80, 6}); // the weights' address
  for (unsigned i = 4 + random.below(12); i != 0; --i)
    switch (random.below(12)) {
    case 0:
    case 1:
      code("RUNALL", {4, 6, 0})("SYNC", {2});
      break;
    case 2:
    case 3:
    case 4:
      code("RUN", {4, 5, random.below(4)});
      break;
    case 5:
    case 6:
      code("SYNC", {2});
      break;
    case 7:
      code("LD32_m_bdi", {7, 6, 15, random.below(8)});
      break;
    case 8:
      code("ST32_m_bdi", {7, 6, 15, random.below(8)});
      break;
    case 9:
      code("LD64PUTCS", {random.below(32)});
      break;
    case 10:
      code("GET", {8, 96}); // the time
      break;
    case 11: {
      const std::int64_t loop = code("SETZI_m", {9, 5}).hereWord();
      code("ADD_rr", {7, 7, 9});
      code("BRNZDEC", {9, loop + std::int64_t(SupervisorAt)});
    }
    }
  code("SYNC", {2})("BR", {10});
  return code.words;
}

} // namespace populus::runtime::test

#endif
