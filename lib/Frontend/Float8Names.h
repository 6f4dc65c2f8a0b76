// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit floats are part of the programming model, and not supported yet. Their
// names are known, so that using one is an error that says so.

#ifndef POPULUS_LIB_FRONTEND_FLOAT8NAMES_H
#define POPULUS_LIB_FRONTEND_FLOAT8NAMES_H

namespace clang {
class Sema;
}

namespace populus::frontend {

/// Has names of types and builtins of 8-bit floats mean something that is
/// unavailable, where a source does not define them.
void declareFloat8Names(clang::Sema &sema);

} // namespace populus::frontend

#endif
