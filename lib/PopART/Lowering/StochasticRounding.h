// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stochastic rounding: what vertices round to float16 goes up or down at
// random, in proportion to how near the two neighbours are. The bits come from
// random number generators of the tiles' workers, which a program sets when it
// begins.

#ifndef POPULUS_LIB_POPART_LOWERING_STOCHASTICROUNDING_H
#define POPULUS_LIB_POPART_LOWERING_STOCHASTICROUNDING_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace populus::popir {

/// Turns it on for all that follows. The generators' states follow from `seed`,
/// two unsigned numbers: the same program with the same seed rounds alike.
void roundStochastically(poplar::Graph &graph, const poplar::Tensor &seed,
                         poplar::program::Sequence &program);

} // namespace populus::popir

#endif
