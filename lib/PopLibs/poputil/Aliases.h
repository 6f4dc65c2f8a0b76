// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies to tensors with repeated elements, such as clones that preserve
// aliases. Each element must be written once.

#ifndef POPULUS_LIB_POPLIBS_POPUTIL_ALIASES_H
#define POPULUS_LIB_POPLIBS_POPUTIL_ALIASES_H

#include <poplar/Graph.hpp>

namespace poputil {

/// Reduces \p b to its elements, each once, and \p a to those in the same
/// places. Nothing changes if \p b has no element twice.
void removeCommonAliases(const poplar::Graph &graph, poplar::Tensor &a,
                         poplar::Tensor &b);

} // namespace poputil

#endif
