// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction table as data: encodings and operand fields of every row, in
// the order in which row numbers count. It is generated from the backend's .td
// files; decoder and tests read it.

#ifndef POPULUS_RUNTIME_EMULATOR_CODE_DECODETABLE_H
#define POPULUS_RUNTIME_EMULATOR_CODE_DECODETABLE_H

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

// The facts of lib/Target/IPU/IPUInstrFormats.td, as enumerations with its
// words.

enum class Flow : std::uint8_t {
  Next,   // to the slot behind it
  System, // the same, but the instruction looks at where it is
  Repeat, // after a hardware loop
  Branch, // to a target, or not
  Goto,   // to a target
  Call,   // to a target, which may come back
  Jump,   // to a register
  Exit,
};
enum class Workers : std::uint8_t {
  None,
  StartsOne,
  StartsAll,
  Awaits,
  LoadsWeights,
};
enum class Csr : std::uint8_t {
  None,
  ReadsLower,
  WritesLower,
  ReadsUpper,
  WritesUpper,
};
enum class AccessKind : std::uint8_t { None, Load, Store, LoadStore };
enum class Addressing : std::uint8_t {
  None,
  Immediate, // base + delta + scaled immediate
  Offset,    // base + delta + scaled register
  Step,      // base + delta, which moves on by an immediate
  StepBy,    // the same, by a register
  Paced,     // a packed triple
  Other,
};
enum class BitMoves : std::uint8_t { None, Mixes, Copies, CopiesIfZero };
enum class LowestBits : std::uint8_t { None, Takes, Joins, Adds };
enum class EngineKind : std::uint8_t { None, Matrix, Slim };

struct InstructionFacts {
  Flow flow;
  Workers workers;
  Csr csr;
  AccessKind access;
  Addressing addressing;
  BitMoves bitMoves;
  LowestBits lowestBits;
  EngineKind engine;
  bool loadsWords; // registers hold what was in memory
  bool takesSingles, givesSingles, setsTakeTurns; // of an engine
  std::uint8_t accessBytes;
  std::uint8_t tripleBytes[3]; // at each address of a triple; 0: no access

  bool loads() const {
    return access == AccessKind::Load || access == AccessKind::LoadStore;
  }
  bool stores() const {
    return access == AccessKind::Store || access == AccessKind::LoadStore;
  }
};

struct RowInfo {
  const char *name;     // of its semantics
  const char *mnemonic; // for printing, as what follows
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
  InstructionFacts facts;
  std::uint8_t numOperands;
  OperandInfo operands[8];
};

std::span<const RowInfo> rows();

} // namespace populus::runtime::emulator

#endif
