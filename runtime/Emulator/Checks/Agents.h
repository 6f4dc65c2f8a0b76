// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Agents of the race checker: the units of execution on a tile in a compute
// set. An agent is a vertex or, for a vertex that takes the whole tile, each
// run of a worker, and each part of the supervisor between starting workers and
// waiting for them. Two agents of one vertex are ordered if one started the
// other, or if the supervisor waited in between; two vertices are never
// ordered.

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKS_AGENTS_H
#define POPULUS_RUNTIME_EMULATOR_CHECKS_AGENTS_H

#include "runtime/Format/Executable.h"
#include "runtime/Target/Timing.h"

#include <array>
#include <vector>

namespace populus::runtime::emulator {

struct Agent {
  std::uint32_t vertex = 0;
  unsigned context = 0;
  std::uint32_t run = 0;    // of a vertex on the tile
  std::uint32_t start = 0;  // when; time is counted in starts and syncs
  std::uint32_t waited = 0; // what started until then had ended before

  bool isOfVertex(const Agent &other) const { return run == other.run; }
};

class Agents {
public:
  /// Begins a compute set. Numbers of agents increase, so earlier compute sets
  /// have smaller numbers; 0 is no agent.
  void beginComputeSet();
  void beginVertex(std::uint32_t vertex, VertexKind kind);
  /// The supervisor starts workers, a bit for each.
  void start(unsigned workers);
  /// The supervisor has waited for all workers.
  void wait();

  std::uint32_t of(unsigned context) const { return current[context]; }
  bool isOfComputeSet(std::uint32_t agent) const { return agent >= first; }
  /// Returns whether an agent belongs to the vertex that runs.
  bool isOfVertex(std::uint32_t agent) const { return agent >= firstOfVertex; }
  const Agent &operator[](std::uint32_t agent) const {
    return agents[agent - first];
  }

  /// Returns whether the program leaves open in which order two agents access
  /// something. `other` did so first, perhaps in an earlier compute set.
  bool concurrent(std::uint32_t other, std::uint32_t me) const {
    return other != me && isOfComputeSet(other) &&
           !isBefore((*this)[other], (*this)[me]);
  }

private:
  static constexpr unsigned Supervisor = timing::WorkersPerTile;

  static bool isBefore(const Agent &other, const Agent &me) {
    if (!other.isOfVertex(me))
      return false;
    return other.context == me.context ||
           (other.context == Supervisor ? other.start < me.start
                                        : other.start <= me.waited);
  }
  void add(unsigned context);

  std::vector<Agent> agents; // of the compute set
  std::uint32_t first = 1;
  std::uint32_t firstOfVertex = 1;
  std::uint32_t vertex = 0;
  std::uint32_t run = 0;
  std::uint32_t time = 0;
  std::uint32_t waited = 0;
  std::array<std::uint32_t, timing::WorkersPerTile + 1> current = {};
};

} // namespace populus::runtime::emulator

#endif
