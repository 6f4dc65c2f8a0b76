// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers. Every function takes the seed as a pointer to a tensor of two
// elements of type UNSIGNED_INT, and a number that keeps uses of one seed
// apart. The numbers depend on these, and on the places of the elements in the
// reference tensor, only: not on the device, nor on the layout. Without a seed
// (a null pointer) the graph's own state is used, which setSeed sets and which
// moves on with every use.

#ifndef POPULUS_POPRAND_RANDOMGEN_HPP
#define POPULUS_POPRAND_RANDOMGEN_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstdint>

namespace poprand {

/// From [minVal, maxVal) for \p outType FLOAT and HALF; for INT and
/// UNSIGNED_INT integers of which \p maxVal is one. The result is laid out like
/// \p reference.
poplar::Tensor uniform(poplar::Graph &graph, const poplar::Tensor *masterSeed,
                       std::uint32_t seedModifier,
                       const poplar::Tensor &reference,
                       const poplar::Type &outType, double minVal,
                       double maxVal, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

/// Numbers whose logarithm is uniform, from [minVal, maxVal), both positive.
/// \p base, of the logarithm, makes no difference to them.
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

/// The elements of \p in times \p scale with probability \p keepProbability,
/// else 0. The same seed, modifier and reference choose the same elements. The
/// result is laid out like the reference, or with \p outputClonesRef false like
/// the input.
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
/// Elements are chosen for the shape of \p reference, which is broadcast to
/// that of the input.
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
/// A copy of the graph's own state, and the way to set it to one again.
poplar::Tensor getHwSeeds(poplar::Graph &graph, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {});
void setHwSeeds(poplar::Graph &graph, const poplar::Tensor &hwSeeds,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext = {});

} // namespace poprand

#endif
