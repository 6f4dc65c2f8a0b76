// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds this library's vertex types to a graph; needed once per graph before
// any of its functions is used.

#ifndef POPULUS_POPRAND_CODELETS_HPP
#define POPULUS_POPRAND_CODELETS_HPP

#include <poplar/Graph.hpp>

namespace poprand {

void addCodelets(poplar::Graph &graph);

} // namespace poprand

#endif
