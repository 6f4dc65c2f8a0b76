// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of the row that covers the program counter are applied to the
// registers and to memory.

#include "lib/Debugger/DwarfFrames.h"

#include <llvm/DebugInfo/DWARF/DWARFDataExtractor.h>
#include <llvm/Support/Casting.h>
#include <llvm/TargetParser/Triple.h>

namespace populus::debugger {

using namespace llvm;

namespace {

std::optional<std::uint32_t> restored(const dwarf::UnwindLocation &rule,
                                      std::uint32_t cfa,
                                      const Registers &registers,
                                      const Memory &memory) {
  const auto address =
      static_cast<Address>(cfa + static_cast<std::uint32_t>(rule.getOffset()));
  switch (rule.getLocation()) {
  case dwarf::UnwindLocation::CFAPlusOffset: {
    if (rule != dwarf::UnwindLocation::createAtCFAPlusOffset(rule.getOffset()))
      return std::nullopt;
    std::uint32_t value = 0;
    memory.read(registers.tile, address, &value, sizeof(value));
    return value;
  }
  case dwarf::UnwindLocation::RegPlusOffset:
    return registers.byNumber(rule.getRegister());
  default:
    return std::nullopt;
  }
}

} // namespace

DwarfFrames::DwarfFrames(StringRef section)
    : frames(Triple::UnknownArch, false, 0) {
  // Damaged information is as good as none.
  consumeError(frames.parse(DWARFDataExtractor(section, true, 4)));
}

std::optional<Registers> DwarfFrames::caller(const Registers &registers,
                                             const Memory &memory) const {
  constexpr unsigned Link = 10, Stack = 11;
  dwarf::FDE *entry = nullptr;
  for (dwarf::FrameEntry &frame : frames)
    if (auto *candidate = dyn_cast<dwarf::FDE>(&frame))
      if (registers.pc >= candidate->getInitialLocation() &&
          registers.pc <
              candidate->getInitialLocation() + candidate->getAddressRange())
        entry = candidate;
  if (!entry)
    return std::nullopt;
  auto table = dwarf::UnwindTable::create(entry);
  if (!table) {
    consumeError(table.takeError());
    return std::nullopt;
  }
  const dwarf::UnwindRow *row = nullptr;
  for (const dwarf::UnwindRow &candidate : *table)
    if (!candidate.hasAddress() || candidate.getAddress() <= registers.pc)
      row = &candidate;
  if (!row ||
      row->getCFAValue().getLocation() != dwarf::UnwindLocation::RegPlusOffset)
    return std::nullopt;
  const auto base = registers.byNumber(row->getCFAValue().getRegister());
  if (!base)
    return std::nullopt;
  const std::uint32_t cfa =
      *base + static_cast<std::uint32_t>(row->getCFAValue().getOffset());
  Registers result = registers;
  for (unsigned number = 0; number != 48; ++number) {
    const auto rule = row->getRegisterLocations().getRegisterLocation(number);
    if (!rule)
      continue;
    if (const auto value = restored(*rule, cfa, registers, memory)) {
      if (number < 16)
        result.m[number] = *value;
      else if (number >= 32)
        result.a[number - 32] = *value;
    }
  }
  result.m[Stack] = cfa;
  result.pc = result.m[Link];
  return result;
}

} // namespace populus::debugger
