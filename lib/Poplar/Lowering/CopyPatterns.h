// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces of exchanges at regular distances, such as the rows of a matrix whose
// columns are on several tiles, or the elements of a transpose. There are
// millions of them in a large program, and a file is smaller, read and run
// faster with a piece for each pattern.

#ifndef POPULUS_LIB_POPLAR_LOWERING_COPYPATTERNS_H
#define POPULUS_LIB_POPLAR_LOWERING_COPYPATTERNS_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/WorkerPool.h"

namespace poplar::core {

/// Rewrites the pieces of all exchanges, which have their tiles and addresses.
void findPatterns(populus::runtime::Executable &exe,
                  populus::runtime::WorkerPool &workers);

} // namespace poplar::core

#endif
