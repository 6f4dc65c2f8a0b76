// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IPUs of graphs that operators call. A graph whose operators name several
// IPUs runs on all of them: the body of a loop that is a pipeline, for one.

#ifndef POPULUS_LIB_POPART_IR_PLACEDIPUS_H
#define POPULUS_LIB_POPART_IR_PLACEDIPUS_H

#include "lib/PopART/IR/Graph.h"

#include <cstdint>
#include <set>

namespace populus::popir {

/// The IPUs that the operators of a graph name. An operator that calls graphs
/// is on their IPUs, and on its own one if they name none.
std::set<std::int64_t> placedIpus(const Graph &graph);

/// The same for the graphs that an operator calls.
std::set<std::int64_t> placedIpus(const Op &caller);

} // namespace populus::popir

#endif
