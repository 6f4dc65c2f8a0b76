// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code for the emulator's tests, put together instruction by
// instruction from the encoding table, and a session to run it on one tile.

#ifndef POPULUS_TEST_UNIT_EMULATOR_ASSEMBLER_H
#define POPULUS_TEST_UNIT_EMULATOR_ASSEMBLER_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/Session.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace populus::runtime::test {

inline constexpr Address CodeBase = 0x4c000;
inline constexpr Address DataBase = 0x50000;
/// State of the test vertices, and the words that they give back.
inline constexpr Address StateAt = DataBase;
inline constexpr Address ResultAt = DataBase + 0x100;
inline constexpr std::uint32_t ResultWords = 64;
inline constexpr Address InterleavedBase = 0x80000;

class Assembler {
public:
  /// Appends an instruction: the row's name and its operands in assembly order,
  /// registers by number, immediates as the field's value.
  Assembler &operator()(const std::string &row,
                        const std::vector<std::int64_t> &operands = {});
  /// Appends a bundle.
  Assembler &bundle(const std::string &main,
                    std::initializer_list<std::int64_t> mainOperands,
                    const std::string &aux,
                    std::initializer_list<std::int64_t> auxOperands);
  Assembler &word(std::uint32_t value) {
    words.push_back(value);
    return *this;
  }
  /// Pads with nops to a multiple of eight bytes.
  Assembler &align8();

  /// Address of the next word, and as an operand of branches.
  Address here() const { return CodeBase + 4 * words.size(); }
  std::int64_t hereWord() const { return here() / 4; }

  std::vector<std::uint32_t> words;
};

/// A program with one tile and one vertex, whose code is `code`. Its state has
/// one word, the address of the results.
Executable oneVertex(const Assembler &code,
                     VertexKind kind = VertexKind::Worker);

struct Outcome {
  std::vector<std::uint32_t> results;
  std::uint64_t cycles = 0;
  std::uint64_t bundles = 0;
  std::string fault;
  std::string engine;
};

/// Runs a program and reads what it left at ResultAt.
Outcome runOnce(const Executable &executable, const SessionOptions &options);

/// The same with both engines, which have to agree; gives what the interpreter
/// did.
Outcome run(const Executable &executable, SessionOptions options = {});

/// Runs code as a worker vertex. The code may use $m0 as the address of its
/// results (loaded in front) and need not exit.
Outcome runWorkerCode(const Assembler &body);

} // namespace populus::runtime::test

#endif
