// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the compiled codelets of a library: populus/codelets/<name>.gp beside
// the shared library that asks, so that the tree can be moved.

#ifndef POPULUS_LIB_POPLIBS_POPUTIL_CODELETARCHIVE_H
#define POPULUS_LIB_POPLIBS_POPUTIL_CODELETARCHIVE_H

#include <poplar/Graph.hpp>

#include <string>

namespace poplibs {

/// Adds <name>.gp to the graph.
void addCodeletArchive(poplar::Graph &graph, const std::string &name);

} // namespace poplibs

#endif
