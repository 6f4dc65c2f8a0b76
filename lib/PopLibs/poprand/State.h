// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that random numbers without a seed come from: one variable for each
// graph.

#ifndef POPULUS_LIB_POPLIBS_POPRAND_STATE_H
#define POPULUS_LIB_POPLIBS_POPRAND_STATE_H

#include <poplar/Graph.hpp>

namespace poprand {

/// Two elements of type UNSIGNED_INT: a seed whose second half counts the uses.
poplar::Tensor stateOf(poplar::Graph &graph);

} // namespace poprand

#endif
