// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of a VertexIntrospector, and the cycle estimate for vertices without a
// cost model.

#ifndef POPULUS_LIB_POPLAR_GRAPH_INTROSPECTION_H
#define POPULUS_LIB_POPLAR_GRAPH_INTROSPECTION_H

#include "lib/Poplar/Graph/GraphImpl.h"

#include <cstdint>

namespace poplar::core {

struct IntrospectedVertex {
  const GraphImpl *graph;
  std::uint32_t id;
};

/// Cycles of a vertex on its worker: the program's estimate, or the estimator
/// of its type, or an estimate from the sizes of its edges.
std::uint64_t estimateCycles(const GraphImpl &graph, std::uint32_t vertex);

} // namespace poplar::core

#endif
