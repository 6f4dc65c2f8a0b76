// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the vertex types of this library.

#include "lib/PopLibs/poputil/CodeletArchive.h"

#include <popnn/codelets.hpp>

namespace popnn {

void addCodelets(poplar::Graph &graph) {
  poplibs::addCodeletArchive(graph, "popnn");
}

} // namespace popnn
