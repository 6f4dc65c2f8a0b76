// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the vertex types of a translation unit and describes them: what the
// graph compiler has to know (archive::VertexType), and the function that the
// entry point has to call.

#ifndef POPULUS_LIB_FRONTEND_VERTEXFINDER_H
#define POPULUS_LIB_FRONTEND_VERTEXFINDER_H

#include "lib/Archive/Archive.h"

#include <clang/AST/DeclCXX.h>
#include <vector>

namespace clang {
class Sema;
}

namespace populus::frontend {

struct FoundVertex {
  archive::VertexType type;
  /// Null if the entry point is hand-written assembly.
  clang::CXXMethodDecl *compute = nullptr;
};

/// Looks through all classes of a translation unit, which Clang has found
/// without errors. Reports what is wrong with a vertex type as errors of Clang.
std::vector<FoundVertex>
findVertices(clang::Sema &sema, llvm::ArrayRef<clang::CXXRecordDecl *> classes,
             const runtime::TargetInfo &target);

} // namespace populus::frontend

#endif
