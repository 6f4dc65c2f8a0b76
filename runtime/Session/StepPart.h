// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step's time by groups of IPUs. The IPUs of a part begin it together, when
// the last of them has arrived; different parts of a step do not wait for each
// other. An exchange from IPU 0 to 1 beside one inside IPU 2 has the parts
// {0, 1} and {2}. The I/O tiles of an IPU count as another one (IoTiles.h).

#ifndef POPULUS_RUNTIME_SESSION_STEPPART_H
#define POPULUS_RUNTIME_SESSION_STEPPART_H

#include "runtime/Session/Cycles.h"
#include "runtime/Session/IpuAccount.h"

#include <cstdint>
#include <vector>

namespace populus::runtime {

struct StepPart {
  std::vector<std::uint32_t> ipus; // clocks, sorted
  Cycles spent = {};               // by each of them
  TileWork work = {};              // of the first one
};

} // namespace populus::runtime

#endif
