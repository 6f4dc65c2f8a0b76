// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stochastic rounding: vertices round to float16 up or down at random, with a
// probability by the distance to each neighbour. Example: a number at a quarter
// of the way to the next float16 is rounded up with probability 1/4. The random
// bits come from generators of the tiles' workers, which a program seeds.

#ifndef POPULUS_LIB_POPART_LOWERING_STOCHASTICROUNDING_H
#define POPULUS_LIB_POPART_LOWERING_STOCHASTICROUNDING_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstdint>
#include <vector>

namespace populus::popir {

/// The handle by which the host reads and writes the generators' states, if a
/// program keeps them.
inline constexpr const char *GeneratorsHandle = "random/generators";

/// Enables it from here on. The generators' states derive from `seed`, two
/// unsigned numbers, so the same program with the same seed gives the same
/// bits.
void roundStochastically(poplar::Graph &graph, const poplar::Tensor &seed,
                         poplar::program::Sequence &program);

/// Enables it for `step`, if requested. Generators start with the states that
/// the last step left, which the host may read and write. The host has to write
/// states before the first step.
poplar::program::Sequence keepGenerators(poplar::Graph &graph,
                                         bool roundsStochastically,
                                         const poplar::program::Sequence &step);

/// The states that roundStochastically derives from a seed: four words for each
/// worker of each tile.
std::vector<std::uint32_t> generatorsOf(std::uint64_t seed, std::size_t tiles,
                                        std::size_t workers);

} // namespace populus::popir

#endif
