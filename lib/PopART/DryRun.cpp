// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory comes from the profile's figures, cycles from a run.

#include "lib/PopART/DryRun.h"

#include "lib/PopART/Support/Error.h"
#include "lib/Poplar/ExecutableAccess.h"
#include "lib/Profile/GraphFigures.h"
#include "runtime/Session/Session.h"
#include "runtime/Target/TargetInfo.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace popart {

namespace {

void runWithZeros(const populus::runtime::Executable &executable,
                  Estimate &result) {
  using namespace populus::runtime;
  auto copy = std::make_shared<const Executable>(executable);
  std::unique_ptr<Session> session = Session::create(copy);
  for (std::uint32_t i = 0; i != executable.streams.size(); ++i) {
    bool isInput =
        executable.streams[i].direction == StreamDirection::HostToDevice;
    session->connectStream(i, [isInput](void *buffer, std::size_t bytes) {
      if (isInput)
        std::memset(buffer, 0, bytes);
    });
  }
  session->run(0);
  RunStats stats = session->stats();
  result.cycles = stats.cycles.total;
  result.secondsAtClock = stats.secondsAtClock;
}

} // namespace

Estimate estimate(const poplar::Executable &executable) {
  const populus::runtime::Executable &data = populus::access(executable);
  populus::profile::MemoryFigures memory =
      populus::profile::memoryFigures(data);
  Estimate result;
  result.tiles = memory.totalByTile.size();
  if (!memory.totalByTile.empty()) {
    result.fullestTile = *std::ranges::max_element(memory.totalByTile);
    result.averageTile =
        std::accumulate(memory.totalByTile.begin(), memory.totalByTile.end(),
                        std::uint64_t(0)) /
        result.tiles;
  }
  try {
    runWithZeros(data, result);
  } catch (const std::exception &error) {
    fail(ErrorKind::Internal, "internal error: the program does not run: {}",
         error.what());
  }
  return result;
}

} // namespace popart
