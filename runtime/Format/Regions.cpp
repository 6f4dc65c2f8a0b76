// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of regions.

#include "runtime/Format/Regions.h"

#include <algorithm>

namespace populus::runtime {

std::string fieldName(const Executable &executable, std::uint32_t vertex,
                      const VertexRegion &region) {
  const VertexType &type =
      executable.vertexTypes[executable.vertices[vertex].type];
  std::string name = "field '" + type.fields[region.field()].name + "'";
  if (region.isArray())
    return "the pointers of " + name;
  const auto regions = regionsOf(executable, vertex);
  const bool isList = std::any_of(
      regions.begin(), regions.end(), [&](const VertexRegion &other) {
        return other.isArray() && other.field() == region.field();
      });
  if (!isList)
    return name;
  const auto index =
      std::count_if(regions.data(), &region, [&](const VertexRegion &other) {
        return other.fieldAndFlag == region.fieldAndFlag;
      });
  return name + "[" + std::to_string(index) + "]";
}

} // namespace populus::runtime
