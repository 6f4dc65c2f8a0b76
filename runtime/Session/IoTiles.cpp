// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Session/IoTiles.h"

#include "runtime/Session/StepTiles.h"

#include <algorithm>

namespace populus::runtime {

namespace {

bool isRemoteCopy(const Step &step) {
  return step.kind == StepKind::RemoteToDevice ||
         step.kind == StepKind::DeviceToRemote;
}

bool isTransfer(const Step &step) {
  return isRemoteCopy(step) || step.kind == StepKind::StreamToDevice ||
         step.kind == StepKind::DeviceToStream;
}

/// Tiles that hold data of transfers and run no vertex.
std::vector<bool> tilesWithoutVertices(const Executable &program) {
  std::vector<bool> tiles(program.numTiles());
  for (const Step &step : program.steps)
    if (isTransfer(step))
      forEachTileOfTensor(program, step.tensor,
                          [&](std::uint32_t tile) { tiles[tile] = true; });
  for (const TileVertices &vertices : program.tileVertices)
    if (vertices.vertices.count != 0)
      tiles[vertices.tile] = false;
  return tiles;
}

/// Steps that all tiles of their IPUs take part in: they wait for each other,
/// or follow a value.
bool involvesAllTiles(StepKind kind) {
  return kind == StepKind::Sync || kind == StepKind::If ||
         kind == StepKind::Switch || kind == StepKind::RepeatWhile ||
         kind == StepKind::AbortIf;
}

} // namespace

IoTiles::IoTiles(const Executable &program)
    : program(program), numIpus(program.numIpus),
      tilesPerIpu(program.tilesPerIpu), numClocks(numIpus) {
  if (program.device == DeviceKind::Cpu)
    return;
  isIo = tilesWithoutVertices(program);
  for (std::uint32_t ipu = 0; ipu != numIpus; ++ipu) {
    const auto begin = isIo.begin() + std::ptrdiff_t(ipu) * tilesPerIpu;
    const auto end = begin + tilesPerIpu;
    if (std::count(begin, end, true) >= std::ptrdiff_t(Least))
      numClocks = 2 * numIpus;
    else
      std::fill(begin, end, false);
  }
}

std::vector<bool> IoTiles::touched(const Step &step) const {
  std::vector<bool> clocks(numClocks, involvesAllTiles(step.kind));
  const auto touch = [&](std::uint32_t tile) { clocks[clockOf(tile)] = true; };
  // The row that a remote buffer is copied at is no data of the transfer.
  if (isRemoteCopy(step))
    forEachTileOfTensor(program, step.tensor, touch);
  else
    forEachTileOf(program, step, touch);
  return clocks;
}

void IoTiles::setClocks(std::vector<StepPart> &parts, const Step &step) const {
  if (!any())
    return;
  const std::vector<bool> clocks = touched(step);
  for (StepPart &part : parts) {
    std::vector<std::uint32_t> advanced, ofIo;
    for (std::uint32_t ipu : part.ipus) {
      if (clocks[numIpus + ipu])
        ofIo.push_back(numIpus + ipu);
      if (clocks[ipu] || !clocks[numIpus + ipu])
        advanced.push_back(ipu);
    }
    advanced.insert(advanced.end(), ofIo.begin(), ofIo.end());
    part.ipus = std::move(advanced);
  }
}

std::vector<StepPart> IoTiles::meetings() const {
  std::vector<StepPart> parts;
  for (std::uint32_t ipu = 0; any() && ipu != numIpus; ++ipu)
    parts.push_back({{ipu, numIpus + ipu}});
  return parts;
}

} // namespace populus::runtime
