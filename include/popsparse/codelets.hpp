// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the vertices that sparse operations use to a graph.

#ifndef POPULUS_POPSPARSE_CODELETS_HPP
#define POPULUS_POPSPARSE_CODELETS_HPP

#include <poplar/Graph.hpp>

namespace popsparse {

void addCodelets(poplar::Graph &graph);

} // namespace popsparse

#endif
