// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared module form of the target, for LLVM's stock tools: loading it (llc
// -load, or LD_PRELOAD for tools without plug-ins) registers the target.

#include "lib/Target/IPU/TargetInfo/IPUTarget.h"

[[maybe_unused]] static const bool Registered =
    (populus::ipu::registerTarget(), true);
