// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction table as data: encodings and operand fields of every row, in
// the order in which row numbers count. It is generated from the backend's .td
// files; decoder and tests read it.

#ifndef POPULUS_RUNTIME_EMULATOR_DECODETABLE_H
#define POPULUS_RUNTIME_EMULATOR_DECODETABLE_H

#include <cstdint>
#include <span>

namespace populus::runtime::emulator {

enum class OperandKind : std::uint8_t {
  MRead,
  MWrite,
  ARead,
  AWrite,
  Unsigned,
  Signed,
  High12, // the field is bits 31:20 of the value
};

/// An immediate that is kept in Operands::imm.
inline constexpr std::uint8_t ImmSlot = 0xff;

struct OperandInfo {
  OperandKind kind;
  std::uint8_t low;    // lowest bit in the word
  std::uint8_t width;  // in bits
  std::uint8_t slot;   // index into Operands::r, or ImmSlot
  std::uint8_t words;  // registers
  std::uint16_t legal; // register numbers that may be encoded
};

struct RowInfo {
  const char *name;
  const char *mnemonic;
  const char *assembly; // pattern, see Assembly.cpp
  std::uint32_t mask;
  std::uint32_t value;
  bool isAux;
  std::uint8_t contexts; // 0 all, 1 workers, 2 the supervisor
  bool isControl;
  bool isSystem;
  bool noBundle;
  bool needsTwoSets; // of accumulators
  std::uint8_t issueSlots;
  std::uint8_t numOperands;
  OperandInfo operands[8];
};

std::span<const RowInfo> rows();

} // namespace populus::runtime::emulator

#endif
