// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the vertex types of this library.

#include "lib/PopLibs/poputil/CodeletArchive.h"

#include <poprand/codelets.hpp>

namespace poprand {

void addCodelets(poplar::Graph &graph) {
  poplibs::addCodeletArchive(graph, "poprand");
}

} // namespace poprand
