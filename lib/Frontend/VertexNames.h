// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two names of a vertex type: the one that the host program gives to
// addVertex, and the symbol of the entry point. Both are fixed by existing
// programs and assembly codelets (docs/architecture.md).

#ifndef POPULUS_LIB_FRONTEND_VERTEXNAMES_H
#define POPULUS_LIB_FRONTEND_VERTEXNAMES_H

#include <string>

namespace clang {
class CXXRecordDecl;
}

namespace populus::frontend {

/// "ns::Class<float,true>": qualified, every template argument spelled out.
std::string vertexName(const clang::CXXRecordDecl &record);

/// "__runCodelet_ns__Class___float_true".
std::string entrySymbol(const std::string &vertexName);

} // namespace populus::frontend

#endif
