// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies to tensors in which elements appear more than once, as clones that
// preserve aliases have them: each element is to be written once.

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
