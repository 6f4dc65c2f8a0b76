// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a vertex may touch, as faults and the checker speak of it.

#ifndef POPULUS_RUNTIME_FORMAT_REGIONS_H
#define POPULUS_RUNTIME_FORMAT_REGIONS_H

#include "runtime/Format/Executable.h"

#include <span>
#include <string>

namespace populus::runtime {

/// The regions that a vertex's fields point to; none if they are not known.
inline std::span<const VertexRegion> regionsOf(const Executable &executable,
                                               std::uint32_t vertex) {
  if (executable.firstRegion.empty())
    return {};
  const std::size_t begin = executable.firstRegion[vertex];
  const std::size_t end = vertex + 1 == executable.firstRegion.size()
                              ? executable.regions.size()
                              : executable.firstRegion[vertex + 1];
  return std::span(executable.regions).subspan(begin, end - begin);
}

/// "field 'in'", "field 'in'[3]", "the pointers of field 'in'" for one of the
/// vertex's regions.
std::string fieldName(const Executable &executable, std::uint32_t vertex,
                      const VertexRegion &region);

} // namespace populus::runtime

#endif
