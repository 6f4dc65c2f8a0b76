// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts and syncs.

#include "runtime/Emulator/Checks/Agents.h"

namespace populus::runtime::emulator {

void Agents::beginComputeSet() {
  first += static_cast<std::uint32_t>(agents.size());
  agents.clear();
}

void Agents::add(unsigned context) {
  current[context] = first + static_cast<std::uint32_t>(agents.size());
  agents.push_back({vertex, context, run, time, waited});
}

void Agents::beginVertex(std::uint32_t index, VertexKind kind) {
  vertex = index;
  ++run;
  waited = time++;
  firstOfVertex = first + static_cast<std::uint32_t>(agents.size());
  switch (kind) {
  case VertexKind::Worker: // whichever worker is free
    add(0);
    return current.fill(current[0]);
  case VertexKind::Multi:
    for (unsigned i = 0; i != timing::WorkersPerTile; ++i)
      add(i);
    return;
  case VertexKind::Supervisor:
    return add(Supervisor);
  }
}

void Agents::start(unsigned workers) {
  ++time;
  for (unsigned i = 0; i != timing::WorkersPerTile; ++i)
    if (workers >> i & 1)
      add(i);
  add(Supervisor);
}

void Agents::wait() {
  waited = time;
  add(Supervisor);
}

} // namespace populus::runtime::emulator
