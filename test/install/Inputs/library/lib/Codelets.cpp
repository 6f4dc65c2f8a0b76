// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the codelets to graphs, with their cycle estimates.

#include "Perf.hpp"
#include "sten/Sten.hpp"
#include <cstdlib>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
namespace sten {
void addCodelets(poplar::Graph &graph) {
  const char *p = std::getenv("STEN_GP_PATH");
  if (!graph.addCodelets(p ? p : STEN_GP))
    throw poplar::poplar_error("no codelets");
  registerPerfFunctions(graph);
}
} // namespace sten
