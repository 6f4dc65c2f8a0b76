// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs are told apart by what owns them, so that a new graph at the address
// of an old one has a state of its own.

#include "lib/PopLibs/poprand/State.h"

#include "lib/Poplar/Graph/Access.h"

#include <map>
#include <mutex>

using namespace poplar;

namespace poprand {
namespace {

using GraphKey = std::weak_ptr<const void>;

struct States {
  std::mutex mutex;
  std::map<GraphKey, Tensor, std::owner_less<GraphKey>> known;

  void forgetDeadGraphs() {
    std::erase_if(known,
                  [](const auto &entry) { return entry.first.expired(); });
  }
};

} // namespace

Tensor stateOf(Graph &graph) {
  static States states;
  const std::lock_guard lock(states.mutex);
  states.forgetDeadGraphs();
  Tensor &state = states.known[core::Access::owner(graph)];
  if (!state.valid()) {
    Graph whole = graph.getTopLevelGraph();
    state = whole.addVariable(UNSIGNED_INT, {2}, "randomState");
    whole.setTileMapping(state, 0);
    whole.setInitialValue<unsigned>(state, {0x2545f491u, 0u});
  }
  return state;
}

} // namespace poprand
