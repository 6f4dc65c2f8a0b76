// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the vertex types of this library.

#include "lib/PopLibs/poputil/CodeletArchive.h"

#include <poplin/codelets.hpp>

namespace poplin {

void addCodelets(poplar::Graph &graph) {
  poplibs::addCodeletArchive(graph, "poplin");
}

} // namespace poplin
