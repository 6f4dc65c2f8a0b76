// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fault messages: who, what, where.

#include "runtime/Emulator/Fault.h"

#include "runtime/Emulator/Tile.h"

#include <cstdio>

namespace populus::runtime::emulator {

namespace {

std::string whatHappened(const Context &c, const std::string &mnemonic) {
  const std::string address = hexadecimal(c.faultAddress);
  switch (c.faultKind) {
  case FaultKind::None:
    break;
  case FaultKind::Misaligned:
    return "misaligned access to " + address;
  case FaultKind::OutOfRange:
    return "access to " + address + ", which is not in the tile's memory";
  case FaultKind::StoreToCode:
    return "store to " + address + ", which holds code";
  case FaultKind::NotInterleaved:
    return "128-bit load from " + address +
           ", which is not in interleaved memory";
  case FaultKind::SameDestination:
    return "two loads into the same register";
  case FaultKind::InvalidPc:
    return "branch to " + address + ", which is not code";
  case FaultKind::IllegalInstruction:
    return "illegal instruction " + address;
  case FaultKind::NotSupported:
    return std::string("instruction ") + c.faultName + " is not supported yet";
  case FaultKind::WrongContext:
    return "instruction " + mnemonic + " is not allowed in a " +
           (c.isSupervisor() ? "supervisor" : "worker");
  case FaultKind::InvalidRepeat:
    return "the body of rpt is not a sequence of 8-byte aligned bundles "
           "without control or system instructions";
  case FaultKind::InvalidControlRegister:
    return "control register " + std::to_string(c.faultAddress) +
           " does not exist or cannot be accessed here";
  case FaultKind::InvalidImmediate:
    return "the immediate operand " + std::to_string(c.faultAddress) +
           " has no meaning";
  case FaultKind::RunWhileActive:
    return "workers are still active";
  case FaultKind::FloatInvalid:
    return "invalid floating point operation (enabled exception)";
  case FaultKind::FloatDivideByZero:
    return "floating point division by zero (enabled exception)";
  case FaultKind::FloatOverflow:
    return "floating point overflow (enabled exception)";
  case FaultKind::Trap:
    return "trap " + std::to_string(c.faultAddress);
  case FaultKind::UnknownHostCall:
    return "host call " + std::to_string(c.faultAddress) + " does not exist";
  case FaultKind::CycleLimit:
    return "still running at the limit of cycles";
  }
  return "no fault";
}

} // namespace

std::string hexadecimal(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", value);
  return text;
}

std::string describeFault(const Context &c) {
  const Code &code = *c.tile->code;
  const std::string who = c.isSupervisor()
                              ? "supervisor: "
                              : "worker " + std::to_string(c.number) + ": ";
  // A branch out of the code leaves no slot that has a place.
  if (!c.faultSlot || !code.contains(c.faultSlot))
    return who + whatHappened(c, "");
  const Address pc = code.addressOf(c.faultSlot);
  const std::string mnemonic = mnemonicOf(code.wordAt(pc));
  std::string text =
      who + whatHappened(c, mnemonic) + " at pc " + hexadecimal(pc);
  const std::string symbol = code.describe(pc);
  if (!symbol.empty())
    text += " (" + symbol + ")";
  if (!mnemonic.empty())
    text += ", " + mnemonic;
  return text;
}

} // namespace populus::runtime::emulator
