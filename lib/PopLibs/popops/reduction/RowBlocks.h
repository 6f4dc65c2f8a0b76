// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From how many elements on the rows of a reduction are worked on in blocks:
// shorter ones take longer that way. The codelet decides by it, and its cost
// estimate.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_REDUCTION_ROWBLOCKS_H
#define POPULUS_LIB_POPLIBS_POPOPS_REDUCTION_ROWBLOCKS_H

namespace popops {

/// Elements behind the first one.
constexpr unsigned RowWorthBlocks = 16;

} // namespace popops

#endif
