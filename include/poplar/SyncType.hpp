// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scope of a synchronisation.

#ifndef POPULUS_INCLUDE_POPLAR_SYNCTYPE_HPP
#define POPULUS_INCLUDE_POPLAR_SYNCTYPE_HPP

namespace poplar {

enum class SyncType {
  INTERNAL, // the tiles of each IPU
  EXTERNAL, // all IPUs of the graph, and the host
  GLOBAL,   // all IPUs of all replicas
};

} // namespace poplar

#endif
