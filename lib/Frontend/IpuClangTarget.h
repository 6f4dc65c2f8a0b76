// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's description of the IPU: sizes of types, predefined macros, registers
// for inline assembly, builtins. Clang's own table of targets is closed, so the
// frontend hands this object to each compilation itself.

#ifndef POPULUS_LIB_FRONTEND_IPUCLANGTARGET_H
#define POPULUS_LIB_FRONTEND_IPUCLANGTARGET_H

#include "runtime/Target/TargetInfo.h"

#include <clang/Basic/TargetInfo.h>
#include <memory>

namespace populus::frontend {

/// Never null. `options` must name the IPU's triple.
llvm::IntrusiveRefCntPtr<clang::TargetInfo>
makeIpuClangTarget(const runtime::TargetInfo &target,
                   const std::shared_ptr<clang::TargetOptions> &options,
                   clang::DiagnosticsEngine &diagnostics,
                   clang::LangOptions &language);

} // namespace populus::frontend

#endif
