// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings that Clang's table does not have. Clang maps only those of its
// table, so -Werror and -w are applied here.

#ifndef POPULUS_LIB_FRONTEND_OWNWARNINGS_H
#define POPULUS_LIB_FRONTEND_OWNWARNINGS_H

#include <clang/Basic/Diagnostic.h>

namespace populus::frontend {

/// The level of a warning under the options of the command line.
inline clang::DiagnosticsEngine::Level
warningLevel(const clang::DiagnosticsEngine &diagnostics) {
  using enum clang::DiagnosticsEngine::Level;
  return diagnostics.getIgnoreAllWarnings()  ? Ignored
         : diagnostics.getWarningsAsErrors() ? Error
                                             : Warning;
}

} // namespace populus::frontend

#endif
