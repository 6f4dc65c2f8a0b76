// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the libraries above: codelets that they write while a graph is built.

#ifndef POPULUS_LIB_POPLAR_GRAPH_GENERATEDCODELETS_H
#define POPULUS_LIB_POPLAR_GRAPH_GENERATEDCODELETS_H

#include <poplar/Graph.hpp>

#include <string>

namespace poplar::core {

/// Compiles a C++ source, which may include headers of the tool chain only, for
/// the graph's target and adds its vertex types. What was compiled before, by
/// this program or an earlier one, comes from a cache: the folder that
/// POPULUS_CODELET_CACHE names ("off": none), else populus/codelets in the
/// user's folder for caches. Throws graph_program_compilation_error, with
/// \p name in it, where the source does not compile.
void addGeneratedCodelets(Graph &graph, const std::string &source,
                          const std::string &name);

} // namespace poplar::core

#endif
