// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the passes after register allocation, which llc then runs
// alone (-run-pass=ipu-hardware-loops, -run-pass=ipu-bundler).

#ifndef POPULUS_LIB_TARGET_IPU_IPUMACHINEPASSES_H
#define POPULUS_LIB_TARGET_IPU_IPUMACHINEPASSES_H

namespace llvm {

class PassRegistry;

void initializeIPUHardwareLoopsPass(PassRegistry &);
void initializeIPUBundlerPass(PassRegistry &);

} // namespace llvm

#endif
