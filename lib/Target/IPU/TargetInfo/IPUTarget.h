// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The door to the IPU code generator for the rest of the project: register it
// with LLVM once, then name its triple. Everything else is reached through
// LLVM's own interfaces (TargetRegistry, TargetMachine, MC).

#ifndef POPULUS_LIB_TARGET_IPU_TARGETINFO_IPUTARGET_H
#define POPULUS_LIB_TARGET_IPU_TARGETINFO_IPUTARGET_H

namespace populus::ipu {

/// Makes the IPU target known to LLVM in this process: code generation,
/// assembly printer and parser, disassembler. Safe to call again and from
/// several threads.
void registerTarget();

/// "ipu-unknown-unknown-elf".
extern const char *const Triple;

/// The data layout of modules, and of Clang's TargetInfo.
extern const char *const DataLayout;

} // namespace populus::ipu

#endif
