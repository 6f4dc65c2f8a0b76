// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics over the elements of a tensor.
//
// Options: "useFloatArithmetic" ("true", "false"): the result is FLOAT, not
// UNSIGNED_INT. "useFloatArithmeticWithUnsignedIntOutput" ("true", "false") is
// checked and makes no difference here: counts are exact.

#ifndef POPULUS_POPOPS_GATHERSTATISTICS_HPP
#define POPULUS_POPOPS_GATHERSTATISTICS_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Counts the elements of \p input in each range between the ascending \p
/// levels[n], which have the input's type. With \p absoluteOfInput it counts
/// magnitudes. Returns [n + 1]: the first count is of elements below levels[0],
/// the last of elements of at least levels[n - 1].
poplar::Tensor histogram(poplar::Graph &graph, const poplar::Tensor &input,
                         const poplar::Tensor &levels, bool absoluteOfInput,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {},
                         const poplar::OptionFlags &options = {});
/// Writes the counts to \p output, or adds them to it with \p updateOutput. The
/// type of \p output, FLOAT or UNSIGNED_INT, is that of the counts.
void histogram(poplar::Graph &graph, const poplar::Tensor &input,
               poplar::Tensor &output, bool updateOutput,
               const poplar::Tensor &levels, bool absoluteOfInput,
               poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {});

} // namespace popops

#endif
