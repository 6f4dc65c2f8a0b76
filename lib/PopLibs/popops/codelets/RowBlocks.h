// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimum length of rows that a reduction processes in blocks, because shorter
// rows take longer that way. The codelet and its cost estimate both use it.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_ROWBLOCKS_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_ROWBLOCKS_H

namespace popops {

/// Elements behind the first one.
constexpr unsigned RowWorthBlocks = 16;

} // namespace popops

#endif
