// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sharing of a host-to-device stream by the replicas of a graph.

#ifndef POPULUS_INCLUDE_POPLAR_REPLICATEDSTREAMMODE_HPP
#define POPULUS_INCLUDE_POPLAR_REPLICATEDSTREAMMODE_HPP

namespace poplar {

enum class ReplicatedStreamMode { REPLICATE, BROADCAST };

} // namespace poplar

#endif
