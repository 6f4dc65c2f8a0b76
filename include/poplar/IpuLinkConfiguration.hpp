// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Use of the links in a system of IPUs.

#ifndef POPULUS_INCLUDE_POPLAR_IPULINKCONFIGURATION_HPP
#define POPULUS_INCLUDE_POPLAR_IPULINKCONFIGURATION_HPP

#include <iosfwd>

namespace poplar {

enum class IpuLinkConfiguration {
  Default,
  BarleyTwist,
  SlidingWindow,
  AllToAll
};

std::ostream &operator<<(std::ostream &out, IpuLinkConfiguration value);

} // namespace poplar

#endif
