// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the replicas of a graph share a host-to-device stream.

#ifndef POPULUS_INCLUDE_POPLAR_REPLICATEDSTREAMMODE_HPP
#define POPULUS_INCLUDE_POPLAR_REPLICATEDSTREAMMODE_HPP

namespace poplar {

enum class ReplicatedStreamMode { REPLICATE, BROADCAST };

} // namespace poplar

#endif
