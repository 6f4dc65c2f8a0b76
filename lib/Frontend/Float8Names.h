// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of 8-bit floats where they mean nothing: the types on the targets ipu1
// and ipu2, which have none, and the builtins. Using one is an error that says
// so.

#ifndef POPULUS_LIB_FRONTEND_FLOAT8NAMES_H
#define POPULUS_LIB_FRONTEND_FLOAT8NAMES_H

namespace clang {
class Sema;
}

namespace populus::frontend {

/// Declares the names of types and builtins of 8-bit floats as unavailable, if
/// the source does not define them.
void declareFloat8Names(clang::Sema &sema);

} // namespace populus::frontend

#endif
