// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adding up an executable's tables.

#include "lib/Profile/GraphFigures.h"

#include "runtime/Session/ExchangePlan.h"
#include "runtime/Session/TensorIo.h"
#include "runtime/Target/Timing.h"

#include <algorithm>
#include <map>
#include <span>

namespace populus::profile {

using namespace runtime;

namespace {

template <typename Function>
void forEachVertex(const Executable &executable, const TileVertices &list,
                   Function function) {
  for (const Vertex &vertex :
       std::span(executable.vertices)
           .subspan(list.vertices.first, list.vertices.count))
    function(vertex);
}

std::span<const TileVertices> tilesOf(const Executable &executable,
                                      const ComputeSet &set) {
  return std::span(executable.tileVertices)
      .subspan(set.tiles.first, set.tiles.count);
}

} // namespace

std::uint64_t activeCycles(const Executable &executable, const Vertex &vertex) {
  const bool isWorker =
      executable.vertexTypes[vertex.type].kind == VertexKind::Worker;
  return isWorker ? vertex.estimate / timing::CyclesPerBundle : vertex.estimate;
}

ComputeSetFigures figuresOf(const Executable &executable,
                            const ComputeSet &set) {
  ComputeSetFigures figures;
  const bool hasEstimates = executable.device == DeviceKind::IpuModel;
  if (hasEstimates) {
    figures.cyclesByTile.resize(executable.numTiles());
    figures.activeCyclesByTile.resize(executable.numTiles());
  }
  std::map<std::uint32_t, ComputeSetFigures::TypeCount> types;
  for (const TileVertices &list : tilesOf(executable, set)) {
    timing::TileSchedule schedule;
    forEachVertex(executable, list, [&](const Vertex &vertex) {
      ComputeSetFigures::TypeCount &type = types[vertex.type];
      type.type = vertex.type;
      ++type.count;
      type.byTile.resize(executable.numTiles());
      ++type.byTile[list.tile];
      if (!hasEstimates)
        return;
      const std::uint64_t active = activeCycles(executable, vertex);
      type.activeCycles += active;
      figures.activeCyclesByTile[list.tile] += active;
      if (executable.vertexTypes[vertex.type].kind == VertexKind::Worker)
        schedule.add(vertex.estimate);
      else
        schedule.addAlone(vertex.estimate);
    });
    if (hasEstimates)
      figures.cyclesByTile[list.tile] = schedule.finish();
  }
  for (const auto &[type, count] : types)
    figures.types.push_back(count);
  return figures;
}

namespace {

ExchangeFigures emptyExchange(const Executable &executable) {
  ExchangeFigures figures;
  figures.bytesReceivedByTile = figures.bytesSentByTile = figures.cyclesByTile =
      ByTile(executable.numTiles());
  return figures;
}

} // namespace

ExchangeFigures figuresOf(const Executable &executable,
                          const Exchange &exchange) {
  ExchangeFigures figures = emptyExchange(executable);
  const TargetInfo target = targetOf(executable);
  for (const auto &[tile, traffic] : trafficOf(executable, exchange)) {
    figures.bytesReceivedByTile[tile] = traffic.receivedBytes;
    figures.bytesSentByTile[tile] = traffic.sentBytes;
    figures.sends += traffic.sentPieces;
    figures.receives += traffic.receivedPieces;
    figures.localBytes += traffic.localBytes;
    if (executable.device != DeviceKind::Cpu)
      figures.cyclesByTile[tile] = timing::exchangeCycles(target, traffic);
  }
  return figures;
}

ExchangeFigures figuresOfStream(const Executable &executable,
                                const Step &step) {
  ExchangeFigures figures = emptyExchange(executable);
  ByTile &bytes = step.kind == StepKind::StreamToDevice
                      ? figures.bytesReceivedByTile
                      : figures.bytesSentByTile;
  const Range range = executable.tensors[step.tensor].segments;
  for (const Segment &segment :
       std::span(executable.segments).subspan(range.first, range.count))
    bytes[segment.tile] += segment.bytes;
  if (executable.device == DeviceKind::Cpu)
    return figures;
  // The tiles of an IPU share its link, so each that takes part is busy to the
  // end.
  const TargetInfo target = targetOf(executable);
  for (std::uint32_t ipu = 0; ipu != executable.numIpus; ++ipu) {
    const HostTraffic traffic = hostTrafficOf(executable, step.tensor, ipu);
    const std::uint64_t cycles = timing::hostTransferCycles(
        target, traffic.bytes, traffic.busiestTileBytes);
    for (std::uint32_t i = 0; i != executable.tilesPerIpu; ++i)
      if (const std::uint32_t tile = ipu * executable.tilesPerIpu + i;
          bytes[tile] != 0)
        figures.cyclesByTile[tile] = cycles;
  }
  return figures;
}

MemoryFigures memoryFigures(const Executable &executable) {
  constexpr auto Categories = static_cast<std::size_t>(MemoryCategory::Count);
  const ByTile zeros(executable.numTiles());
  MemoryFigures figures;
  figures.byCategory.resize(Categories);
  figures.byCategoryAndTile.assign(Categories, zeros);
  figures.totalByTile = figures.includingGapsByTile = zeros;
  figures.overlappedByTile = figures.afterOverlappingByTile = zeros;
  const TargetInfo target = targetOf(executable);
  for (const TileMemory &tile : executable.memory) {
    for (std::size_t c = 0; c != Categories; ++c) {
      figures.byCategory[c] += tile.byCategory[c];
      figures.byCategoryAndTile[c][tile.tile] = tile.byCategory[c];
      figures.totalByTile[tile.tile] += tile.byCategory[c];
    }
    figures.overlappedByTile[tile.tile] = tile.overlapped;
    figures.afterOverlappingByTile[tile.tile] = tile.afterOverlapping;
    figures.overlapped += tile.overlapped;
    figures.afterOverlapping += tile.afterOverlapping;
    figures.totalByTile[tile.tile] += tile.afterOverlapping;
    figures.includingGapsByTile[tile.tile] = tile.includingGaps;
    if (target.isIpu() && tile.includingGaps > target.bytesPerTile())
      ++figures.tilesOutOfMemory;
  }
  return figures;
}

std::vector<std::uint64_t> vertexCounts(const Executable &executable) {
  std::vector<std::uint64_t> counts(executable.vertexTypes.size());
  for (const Vertex &vertex : executable.vertices)
    ++counts[vertex.type];
  return counts;
}

std::vector<std::uint64_t> stateBytes(const Executable &executable) {
  std::vector<std::uint64_t> bytes = vertexCounts(executable);
  for (std::size_t type = 0; type != bytes.size(); ++type)
    bytes[type] *= executable.vertexTypes[type].stateBytes;
  return bytes;
}

} // namespace populus::profile
