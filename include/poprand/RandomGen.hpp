// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers. Every function takes a pointer to the seed, a tensor of two
// elements of type UNSIGNED_INT, and a modifier that distinguishes uses of one
// seed. The numbers depend only on seed, modifier and the index of each element
// in the reference tensor, not on the device or the layout. With a null pointer
// the graph's own state is used; setSeed sets it, and every use advances it.

#ifndef POPULUS_POPRAND_RANDOMGEN_HPP
#define POPULUS_POPRAND_RANDOMGEN_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstdint>

namespace poprand {

/// Uniform numbers from [minVal, maxVal) for \p outType FLOAT and HALF;
/// integers from [minVal, maxVal] for INT and UNSIGNED_INT. The result is laid
/// out like \p reference.
poplar::Tensor uniform(poplar::Graph &graph, const poplar::Tensor *masterSeed,
                       std::uint32_t seedModifier,
                       const poplar::Tensor &reference,
                       const poplar::Type &outType, double minVal,
                       double maxVal, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

/// Numbers with a uniformly distributed logarithm, from [minVal, maxVal), both
/// positive. \p base, the base of the logarithm, has no effect on them.
poplar::Tensor
logUniform(poplar::Graph &graph, const poplar::Tensor *masterSeed,
           std::uint32_t seedModifier, const poplar::Tensor &reference,
           const poplar::Type &outType, double minVal, double maxVal,
           poplar::program::Sequence &prog, double base = 2.718281828459045,
           const poplar::DebugContext &debugContext = {});

/// 1 with probability \p prob, else 0.
poplar::Tensor bernoulli(poplar::Graph &graph, const poplar::Tensor *masterSeed,
                         std::uint32_t seedModifier,
                         const poplar::Tensor &reference,
                         const poplar::Type &outType, double prob,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

poplar::Tensor normal(poplar::Graph &graph, const poplar::Tensor *masterSeed,
                      std::uint32_t seedModifier,
                      const poplar::Tensor &reference,
                      const poplar::Type &outType, double mean, double stdDev,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

/// A normal distribution cut off at mean +- alpha * stdDev.
poplar::Tensor
truncatedNormal(poplar::Graph &graph, const poplar::Tensor *masterSeed,
                std::uint32_t seedModifier, const poplar::Tensor &reference,
                const poplar::Type &outType, double mean, double stdDev,
                double alpha, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {});

/// Returns each element of \p in times \p scale with probability \p
/// keepProbability, else 0. Equal seed, modifier and reference choose the same
/// elements. The result is laid out like the reference, or like the input if \p
/// outputClonesRef is false.
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *masterSeed,
                       std::uint32_t seedModifier, const poplar::Tensor &in,
                       const poplar::Tensor &reference, double keepProbability,
                       double scale, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});
poplar::Tensor dropout(poplar::Graph &graph, const poplar::Tensor *masterSeed,
                       std::uint32_t seedModifier, const poplar::Tensor &in,
                       const poplar::Tensor &reference, double keepProbability,
                       double scale, bool outputClonesRef,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});
/// Chooses elements for the shape of \p reference, which is broadcast to that
/// of the input.
poplar::Tensor
shapedDropout(poplar::Graph &graph, const poplar::Tensor *masterSeed,
              std::uint32_t seedModifier, const poplar::Tensor &in,
              const poplar::Tensor &reference, double keepProbability,
              double scale, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext = {});

/// Sets the graph's own state.
void setSeed(poplar::Graph &graph, const poplar::Tensor &masterSeed,
             std::uint32_t seedModifier, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});
/// Returns a copy of the graph's own state, and restores it.
poplar::Tensor getHwSeeds(poplar::Graph &graph, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {});
void setHwSeeds(poplar::Graph &graph, const poplar::Tensor &hwSeeds,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {});

} // namespace poprand

#endif
