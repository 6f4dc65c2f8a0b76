// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Categories of the buffers of a tile, which are one block: inputs of vertices
// that come from other places (message), outputs that go there (outputEdge),
// and data of copies in between (rearrangement). A block has the category of
// its only use, and is a message buffer where it has several.

#ifndef POPULUS_LIB_POPLAR_LOWERING_BUFFERCATEGORY_H
#define POPULUS_LIB_POPLAR_LOWERING_BUFFERCATEGORY_H

#include "lib/Poplar/Lowering/Storage.h"

namespace poplar::core {

inline bool isBuffer(const Block &block) {
  return block.category == MemoryCategory::Message ||
         block.category == MemoryCategory::OutputEdge ||
         block.category == MemoryCategory::Rearrangement;
}

/// Adds a use to a block of buffers, before it gets the memory for it.
inline void addUse(Block &block, MemoryCategory use) {
  if (block.bytes == 0)
    block.category = use;
  else if (block.category != use)
    block.category = MemoryCategory::Message;
}

} // namespace poplar::core

#endif
