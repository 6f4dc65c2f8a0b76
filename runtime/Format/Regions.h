// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a vertex may touch, as faults and the checker describe it.

#ifndef POPULUS_RUNTIME_FORMAT_REGIONS_H
#define POPULUS_RUNTIME_FORMAT_REGIONS_H

#include "runtime/Format/Executable.h"

#include <span>
#include <string>
#include <vector>

namespace populus::runtime {

/// The regions that the fields of some vertices point to, or of one; none if
/// they are not known.
inline std::span<const VertexRegion> regionsOf(const Executable &executable,
                                               Range vertices) {
  const std::vector<std::uint32_t> &first = executable.firstRegion;
  if (first.empty() || vertices.count == 0)
    return {};
  const std::size_t last = std::size_t(vertices.first) + vertices.count;
  const std::size_t begin = first[vertices.first];
  const std::size_t end =
      last == first.size() ? executable.regions.size() : first[last];
  return std::span(executable.regions).subspan(begin, end - begin);
}
inline std::span<const VertexRegion> regionsOf(const Executable &executable,
                                               std::uint32_t vertex) {
  return regionsOf(executable, Range{vertex, 1});
}

/// "field 'in'", "field 'in'[3]", "the pointers of field 'in'" for one of the
/// vertex's regions.
std::string fieldName(const Executable &executable, std::uint32_t vertex,
                      const VertexRegion &region);

} // namespace populus::runtime

#endif
