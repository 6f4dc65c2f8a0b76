// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the vertex types of this library.

#include "lib/PopLibs/poputil/CodeletArchive.h"

#include <popops/codelets.hpp>

namespace popops {

void addCodelets(poplar::Graph &graph) {
  poplibs::addCodeletArchive(graph, "popops");
}

} // namespace popops
