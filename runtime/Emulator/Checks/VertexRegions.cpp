// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions are sorted once for a vertex, and searched backwards from an address,
// no farther than any of them reaches.

#include "runtime/Emulator/Checks/VertexRegions.h"

#include "runtime/Emulator/Tile/Tile.h"
#include "runtime/Format/Regions.h"

#include <algorithm>

namespace populus::runtime::emulator {

namespace {

constexpr unsigned WordBytes = 4;

Address roundedUp(Address address) {
  return (address + WordBytes - 1) / WordBytes * WordBytes;
}

} // namespace

void VertexRegions::find(const Executable &executable, std::uint32_t vertex) {
  const Vertex &data = executable.vertices[vertex];
  regions.clear();
  add(data.state, executable.vertexTypes[data.type].stateBytes, nullptr);
  regions.back().isState = true;
  addEdges(executable, vertex);
  sort();
}

void VertexRegions::add(Address begin, std::uint32_t bytes,
                        const FieldInfo *field) {
  AllowedRegion region;
  region.begin = begin;
  region.end = region.wordEnd = begin + bytes;
  region.field = field;
  if (field) {
    region.isInput = field->access == FieldAccess::Input;
    region.isEdge = field->access >= FieldAccess::Output;
  }
  if (region.isEdge)
    region.wordEnd = roundedUp(region.end);
  regions.push_back(region);
}

/// The elements of a list follow the array of their addresses.
void VertexRegions::addEdges(const Executable &executable,
                             std::uint32_t vertex) {
  const Vertex &data = executable.vertices[vertex];
  const VertexType &type = executable.vertexTypes[data.type];
  const auto edges = regionsOf(executable, vertex);
  const VertexRegion *array = nullptr;
  std::uint32_t entryBytes = 0, element = 0;
  for (std::size_t i = 0; i != edges.size(); ++i) {
    const VertexRegion &edge = edges[i];
    const FieldInfo &field = type.fields[edge.field()];
    add(edge.address, edge.bytes, edge.isArray() ? nullptr : &field);
    AllowedRegion &added = regions.back();
    added.name = field.name;
    added.elementBytes = field.elementBytes;
    if (edge.isArray()) {
      std::size_t last = i + 1;
      while (last != edges.size() && edges[last].fieldAndFlag == edge.field())
        ++last;
      const auto entries = static_cast<std::uint32_t>(last - i - 1);
      array = &edge;
      entryBytes = entries ? edge.bytes / entries : 0;
      element = 0;
      added.elementBytes = entryBytes;
    }
    const bool isInList =
        array && !edge.isArray() && array->field() == edge.field();
    if (isInList)
      added.element = element++;
    added.slot = isInList ? array->address + added.element * entryBytes
                          : data.state + field.offset;
    // A number of elements may follow the address.
    added.slotBytes = static_cast<std::uint8_t>(std::min<std::uint32_t>(
        isInList ? entryBytes : field.bytes, sizeof(Address)));
  }
}

void VertexRegions::sort() {
  std::sort(regions.begin(), regions.end(),
            [](const AllowedRegion &a, const AllowedRegion &b) {
              return a.begin < b.begin;
            });
  Address reach = 0;
  isOverlapping = false;
  for (AllowedRegion &region : regions) {
    isOverlapping |= region.begin < reach;
    region.reach = reach = std::max(reach, region.wordEnd);
  }
}

const AllowedRegion *VertexRegions::containing(Address first, Address last,
                                               unsigned bytes,
                                               bool store) const {
  auto after =
      std::upper_bound(regions.begin(), regions.end(), first,
                       [](Address address, const AllowedRegion &region) {
                         return address < region.begin;
                       });
  while (after != regions.begin()) {
    const AllowedRegion &candidate = *--after;
    if (candidate.containsAll(first, last, bytes, store))
      return &candidate;
    if (candidate.reach <= first)
      break;
  }
  return nullptr;
}

TileStacks::TileStacks(const TileSetup &setup)
    : setup(setup), shared(setup.workerBase[1] == setup.workerBase[0]) {}

Address TileStacks::begin(unsigned context) const {
  if (context == Supervisor)
    return setup.workerBase[NumWorkers - 1] + WorkerScratchBytes;
  if (context == 0 || shared)
    return setup.stackBegin;
  return setup.workerBase[context - 1] + WorkerScratchBytes;
}

Address TileStacks::end(unsigned context) const {
  return context == Supervisor ? setup.supervisorStack
                               : setup.workerBase[context] + WorkerScratchBytes;
}

TileStacks::Span TileStacks::all(Address lo, Address hi) const {
  return {std::max(setup.stackBegin, lo) / WordBytes * WordBytes,
          std::min(hi, std::max(end(Supervisor), end(NumWorkers - 1)))};
}

} // namespace populus::runtime::emulator
