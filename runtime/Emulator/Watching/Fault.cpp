// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fault reports: what happened, where in the code, and what of the vertex is
// near.

#include "runtime/Emulator/Watching/Fault.h"

#include "runtime/Emulator/Code/Assembly.h"
#include "runtime/Emulator/Code/Decode.h"
#include "runtime/Emulator/Tile/Tile.h"
#include "runtime/Format/Regions.h"
#include "runtime/Target/UndefinedTraps.h"

#include <algorithm>

namespace populus::runtime::emulator {

namespace {

struct Cause {
  const char *kind;
  std::string what;
};

Cause causeOf(const Context &c, const std::string &mnemonic) {
  const std::string address = hexadecimal(c.faultAddress);
  const std::string number = std::to_string(c.faultAddress);
  switch (c.faultKind) {
  case FaultKind::None:
    break;
  case FaultKind::Misaligned:
    return {"misaligned", "misaligned access to " + address};
  case FaultKind::OutOfRange:
    return {"out-of-range",
            "access to " + address + ", which is not in the tile's memory"};
  case FaultKind::StoreToCode:
    return {"store-to-code", "store to " + address + ", which holds code"};
  case FaultKind::NotInterleaved:
    return {"not-interleaved", "128-bit load from " + address +
                                   ", which is not in interleaved memory"};
  case FaultKind::SameDestination:
    return {"same-destination", "two loads into the same register"};
  case FaultKind::InvalidPc:
    return {"invalid-pc", "branch to " + address + ", which is not code"};
  case FaultKind::IllegalInstruction:
    return {"illegal-instruction", "illegal instruction " + address};
  case FaultKind::NotSupported:
    return {"not-supported", std::string("instruction ") + c.faultName +
                                 " is not supported yet"};
  case FaultKind::WrongContext:
    return {"wrong-context", "instruction " + mnemonic +
                                 " is not allowed in a " +
                                 (c.isSupervisor() ? "supervisor" : "worker")};
  case FaultKind::InvalidRepeat:
    return {"invalid-repeat",
            "the body of rpt is not a sequence of 8-byte aligned bundles "
            "without control or system instructions"};
  case FaultKind::InvalidControlRegister:
    return {"invalid-control-register",
            "control register " + number +
                " does not exist or cannot be accessed here"};
  case FaultKind::InvalidImmediate:
    return {"invalid-immediate",
            "the immediate operand " + number + " has no meaning"};
  case FaultKind::RunWhileActive:
    return {"run-while-active", "workers are still active"};
  case FaultKind::FloatInvalid:
    return {"float-invalid",
            "invalid floating point operation (enabled exception)"};
  case FaultKind::FloatDivideByZero:
    return {"float-divide-by-zero",
            "floating point division by zero (enabled exception)"};
  case FaultKind::FloatOverflow:
    return {"float-overflow", "floating point overflow (enabled exception)"};
  case FaultKind::Trap:
    return {"trap", "trap " + number};
  case FaultKind::UnknownHostCall:
    return {"unknown-host-call", "host call " + number + " does not exist"};
  case FaultKind::CycleLimit:
    return {"cycle-limit", "still running at the limit of cycles"};
  case FaultKind::Interrupted:
    return {"interrupted", "interrupted"};
  case FaultKind::Breakpoint:
    return {"breakpoint", "breakpoint"};
  }
  return {"none", "no fault"};
}

bool isAccess(FaultKind kind) {
  return kind == FaultKind::Misaligned || kind == FaultKind::OutOfRange ||
         kind == FaultKind::StoreToCode || kind == FaultKind::NotInterleaved;
}

} // namespace

ContextState stateOf(const Context &c) {
  ContextState state;
  state.number = c.number;
  std::copy_n(c.m, state.m.size(), state.m.begin());
  std::copy_n(c.a, state.a.size(), state.a.begin());
  state.fpStatus = c.fpStatus;
  state.fpControl = c.fpControl;
  return state;
}

CodePlace placeOf(const Code &code, Address pc) {
  return {pc, code.describe(pc),
          assemblyOf(code.wordAt(pc), code.wordAt(pc + 4)),
          code.sourceLine(pc)};
}

FaultReport describeFault(const Context &c) {
  FaultReport report;
  const Code &code = *c.tile->code;
  // A branch out of the code leaves no slot that has a place.
  if (c.faultSlot && code.contains(c.faultSlot)) {
    report.place = placeOf(code, code.addressOf(c.faultSlot));
    report.mnemonic = mnemonicOf(code.wordAt(report.place->pc));
  }
  Cause cause = causeOf(c, report.mnemonic);
  report.kind = cause.kind;
  report.what = std::move(cause.what);
  if (c.faultKind == FaultKind::Trap && report.place)
    if (const char *undefined =
            undefinedBehaviourOf(code.wordAt(report.place->pc + 4)))
      report.what += std::string(" (") + undefined + ")";
  report.cycle = c.tile->cycleCount(c);
  if (isAccess(c.faultKind))
    report.address = c.faultAddress;
  report.registers = stateOf(c);
  return report;
}

std::string describeAddress(const Executable &executable, std::uint32_t vertex,
                            Address address) {
  // Farther away it is more likely chance.
  constexpr std::uint32_t Near = 256;
  const auto bytesText = [](std::uint32_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  };
  std::uint32_t best = Near;
  std::string text;
  for (const VertexRegion &region : regionsOf(executable, vertex)) {
    const std::string name = fieldName(executable, vertex, region);
    const Address end = region.address + region.bytes;
    if (address >= region.address && address < end)
      return "in " + name + " at byte " +
             std::to_string(address - region.address);
    const bool behind = address >= end;
    const std::uint32_t distance =
        behind ? address - end : region.address - address;
    if (distance >= best)
      continue;
    best = distance;
    text = behind ? (distance == 0 ? "just" : bytesText(distance)) +
                        " behind the end of " + name
                  : bytesText(distance) + " before " + name;
  }
  return text;
}

} // namespace populus::runtime::emulator
