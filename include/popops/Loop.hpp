// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops with a counter that the body can use.

#ifndef POPULUS_POPOPS_LOOP_HPP
#define POPULUS_POPOPS_LOOP_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <functional>

namespace popops {

/// Makes the body of a loop from its counter, a scalar of type UNSIGNED_INT.
typedef std::function<poplar::program::Program(const poplar::Tensor &)>
    CountedLoopBodyType;

/// for (i = begin; i < end; i += step).
poplar::program::Sequence
countedLoop(poplar::Graph &graph, std::size_t begin, std::size_t end,
            std::size_t step, const CountedLoopBodyType &body,
            const poplar::DebugContext &debugContext = {});
/// for (i = 0; i < count; i += 1).
poplar::program::Sequence
countedLoop(poplar::Graph &graph, std::size_t count,
            const CountedLoopBodyType &body,
            const poplar::DebugContext &debugContext = {});

/// for (count = initialCount; count != countLimit; count += countStep), where
/// the limit, a scalar of type INT or UNSIGNED_INT, is known at run time.
poplar::program::Sequence
countedForLoop(poplar::Graph &graph, const poplar::Tensor &count,
               int initialCount, const poplar::Tensor &countLimit,
               int countStep, const poplar::program::Program &body,
               const poplar::DebugContext &debugContext = {});
/// The same, but the loop makes its own counter.
poplar::program::Sequence
countedForLoop(poplar::Graph &graph, int initialCount,
               const poplar::Tensor &countLimit, int countStep,
               const poplar::program::Program &body,
               const poplar::DebugContext &debugContext = {});

/// Adds \p countStep to a counter on \p tile and returns true while the counter
/// differs from \p countLimit: the predicate of a RepeatWhileTrue whose
/// condition is \p prog.
poplar::Tensor
addForLoopCounterVertex(poplar::Graph &graph, const poplar::Tensor &count,
                        const poplar::Tensor &countLimit, int countStep,
                        unsigned tile, poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
