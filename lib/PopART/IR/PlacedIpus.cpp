// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PlacedIpus.h.

#include "lib/PopART/IR/PlacedIpus.h"

#include <map>

namespace populus::popir {

namespace {

using Ipus = std::set<std::int64_t>;

class Collector {
public:
  const Ipus &of(const Graph &graph) {
    const auto [found, isNew] = known.try_emplace(&graph);
    if (isNew) {
      Ipus ipus;
      for (const Op *op : graph.ops())
        ipus.merge(of(*op));
      found->second = std::move(ipus);
    }
    return found->second;
  }

  /// The IPUs of the graphs that an operator calls; if these name none, its
  /// own.
  Ipus of(const Op &op) {
    Ipus ipus = ofCallees(op);
    if (ipus.empty() && op.placement().ipu)
      ipus.insert(*op.placement().ipu);
    return ipus;
  }

  Ipus ofCallees(const Op &op) {
    Ipus ipus;
    for (const Graph *callee : op.callees()) {
      const Ipus &called = of(*callee);
      ipus.insert(called.begin(), called.end());
    }
    return ipus;
  }

private:
  std::map<const Graph *, Ipus> known;
};

} // namespace

std::set<std::int64_t> placedIpus(const Graph &graph) {
  return Collector().of(graph);
}

std::set<std::int64_t> placedIpus(const Op &caller) {
  return Collector().ofCallees(caller);
}

} // namespace populus::popir
