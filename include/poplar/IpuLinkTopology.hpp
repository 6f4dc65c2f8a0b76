// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Topology of the links between IPUs: a mesh or a torus.

#ifndef POPULUS_INCLUDE_POPLAR_IPULINKTOPOLOGY_HPP
#define POPULUS_INCLUDE_POPLAR_IPULINKTOPOLOGY_HPP

#include <iosfwd>

namespace poplar {

enum class IpuLinkTopology { Mesh, Torus };

std::ostream &operator<<(std::ostream &out, IpuLinkTopology value);

} // namespace poplar

#endif
