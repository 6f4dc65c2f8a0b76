// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Target object that LLVM's registry knows us by, and the parts that
// register themselves with it.

#ifndef POPULUS_LIB_TARGET_IPU_TARGETINFO_IPUTARGETINFO_H
#define POPULUS_LIB_TARGET_IPU_TARGETINFO_IPUTARGETINFO_H

namespace llvm {

class Target;

Target &getTheIPUTarget();

// Each is called once, by populus::ipu::registerTarget.
void initializeIPUMC();
void initializeIPUAsmParser();
void initializeIPUDisassembler();
void initializeIPUCodeGen();

} // namespace llvm

#endif
