// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codelets that libraries generate while a graph is built.

#ifndef POPULUS_LIB_POPLAR_GRAPH_GENERATEDCODELETS_H
#define POPULUS_LIB_POPLAR_GRAPH_GENERATEDCODELETS_H

#include <poplar/Graph.hpp>

#include <string>

namespace poplar::core {

/// Compiles a C++ source for the graph's target and adds its vertex types. The
/// source may include headers of the tool chain only. Archives are cached
/// between programs in the folder POPULUS_CODELET_CACHE ("off": no cache), or
/// in populus/codelets in the user's cache folder. Throws
/// graph_program_compilation_error, which names \p name, if the source does not
/// compile.
void addGeneratedCodelets(Graph &graph, const std::string &source,
                          const std::string &name);

} // namespace poplar::core

#endif
