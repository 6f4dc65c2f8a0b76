// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard headers that have no meaning on a tile. Some of them would not
// compile, with errors in places that the user did not write; others would
// declare nothing.

#ifndef POPULUS_LIB_FRONTEND_REFUSEDHEADERS_H
#define POPULUS_LIB_FRONTEND_REFUSEDHEADERS_H

#include <clang/Lex/Preprocessor.h>

namespace populus::frontend {

/// Makes #include of such a header an error that names the alternative. The
/// error ends the compilation.
void refuseHeaders(clang::Preprocessor &preprocessor);

} // namespace populus::frontend

#endif
