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

#include <cstdint>
#include <vector>

namespace populus::popir {

/// The handle by which the host reads and writes the states of the generators,
/// where a program keeps them.
inline constexpr const char *GeneratorsHandle = "random/generators";

/// Turns it on for all that follows. The generators' states follow from `seed`,
/// two unsigned numbers: the same program with the same seed rounds alike.
void roundStochastically(poplar::Graph &graph, const poplar::Tensor &seed,
                         poplar::program::Sequence &program);

/// Turns it on for `step`, if wanted, whose generators begin with the states
/// that the last step left, and that the host may read and write. A program's
/// first step needs states of the host's.
poplar::program::Sequence keepGenerators(poplar::Graph &graph,
                                         bool roundsStochastically,
                                         const poplar::program::Sequence &step);

/// The states that roundStochastically makes of a seed, four words for each
/// worker of each tile.
std::vector<std::uint32_t> generatorsOf(std::uint64_t seed, std::size_t tiles,
                                        std::size_t workers);

} // namespace populus::popir

#endif
