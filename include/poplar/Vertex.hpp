// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header that a codelet source includes: the base classes of vertices and
// the types of their fields. A vertex type is a class that derives from one of
// the bases and has a member function compute(). popc finds the class, records
// its fields and generates an entry point. The header also includes vectors,
// builtins, constants of the tile and part of the standard library
// (docs/popc.md).

#ifndef POPLAR_VERTEX_HPP
#define POPLAR_VERTEX_HPP

#include <ipu_builtins.h>
#include <poplar/AvailableVTypes.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/InOutTypes.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/StandardNames.hpp>
#include <poplar/TileConstants.hpp>
#include <print.h>

namespace poplar {

/// Runs on one worker thread: `bool compute()` or `void compute()`.
class Vertex {};

/// Runs on the tile's supervisor thread, which may start workers itself.
class SupervisorVertex {};

/// Runs on all workers of the tile at once, each called with its number:
/// `compute(unsigned workerId)`.
class MultiVertex {
public:
  static constexpr unsigned numWorkers() {
#ifdef __IPU__
    return 6;
#else
    return 1;
#endif
  }
};

/// Selects SupervisorVertex if `IsSupervisor`, otherwise Vertex.
template <bool IsSupervisor> struct SupervisorVertexSelect {
  using type = Vertex;
};
template <> struct SupervisorVertexSelect<true> {
  using type = SupervisorVertex;
};
template <bool IsSupervisor>
using SupervisorVertexIf = typename SupervisorVertexSelect<IsSupervisor>::type;

} // namespace poplar

/// Alignment that allows the widest loads and stores.
#define WORKER_ALIGN __attribute__((aligned(8)))

#endif
