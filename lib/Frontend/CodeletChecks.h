// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of `popc --check-codelets`: idioms that are slow on a tile, and
// workers that disturb each other. Each warning ends with the name of its
// check, and has a fix-it where the source can be mended by insertions. A line
// with NOLINT is left alone. docs/popc.md lists the checks.

#ifndef POPULUS_LIB_FRONTEND_CODELETCHECKS_H
#define POPULUS_LIB_FRONTEND_CODELETCHECKS_H

#include "lib/Frontend/VertexFinder.h"

#include <map>
#include <string>

namespace clang {
class ASTContext;
}

namespace populus::frontend {

/// Texts of sources with their fix-its applied, by path.
using FixedSources = std::map<std::string, std::string>;

/// Warns about the functions and vertices of a translation unit, and returns
/// its source if fix-its change it. Headers, which other sources share, are not
/// changed.
FixedSources checkCodelets(clang::ASTContext &context,
                           const std::vector<FoundVertex> &vertices);

} // namespace populus::frontend

#endif
