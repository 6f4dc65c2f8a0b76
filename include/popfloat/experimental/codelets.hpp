// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vertex types of popfloat.

#ifndef POPULUS_POPFLOAT_EXPERIMENTAL_CODELETS_HPP
#define POPULUS_POPFLOAT_EXPERIMENTAL_CODELETS_HPP

#include <poplar/Graph.hpp>

namespace popfloat {
namespace experimental {

/// Once for each graph that uses the library.
void addCodelets(poplar::Graph &graph);

} // namespace experimental
} // namespace popfloat

#endif
