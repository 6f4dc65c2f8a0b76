// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call frame information of DWARF: from the registers of a frame to those of
// its caller.

#ifndef POPULUS_LIB_DEBUGGER_DWARFFRAMES_H
#define POPULUS_LIB_DEBUGGER_DWARFFRAMES_H

#include "lib/Debugger/Registers.h"
#include "lib/Debugger/Value.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/DebugInfo/DWARF/DWARFDebugFrame.h>

#include <optional>

namespace populus::debugger {

class DwarfFrames {
public:
  /// Reads a section .debug_frame, which has to outlive this.
  explicit DwarfFrames(llvm::StringRef section);

  /// The registers of the caller; nothing: they are not known.
  std::optional<Registers> caller(const Registers &registers,
                                  const Memory &memory) const;

private:
  /// DWARFContext reads the frames of object files only.
  llvm::DWARFDebugFrame frames;
};

} // namespace populus::debugger

#endif
