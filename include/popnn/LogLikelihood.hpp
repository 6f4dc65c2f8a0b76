// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The negative log likelihood of labels, and its gradient, for rows that are
// short enough for one vertex each: one compute set instead of several.

#ifndef POPNN_LOGLIKELIHOOD_HPP
#define POPNN_LOGLIKELIHOOD_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {

/// Form of a loss's input.
enum class LikelihoodOf { PROBABILITIES, LOGARITHMS };

/// By what the gradient is.
enum class LikelihoodBy { PROBABILITIES, LOGARITHMS, LOGITS };

/// The loss of each row of \p p, FLOAT [..., classes], with labels INT [...]:
/// -p[label], or -log max(p[label], 1e-7) of probabilities. A label that is no
/// class has no loss. An invalid tensor where rows are too long, or too many of
/// them are on a tile.
poplar::Tensor negativeLogLikelihood(poplar::Graph &graph,
                                     const poplar::Tensor &p,
                                     const poplar::Tensor &labels,
                                     LikelihoodOf kind,
                                     poplar::program::Sequence &prog,
                                     const poplar::DebugContext &dc = {});

/// Its gradient, with \p deltas FLOAT [...] of the rows: at the label
/// -delta / max(p, 1e-10), -delta by logarithms, and 0 elsewhere; by the logits
/// whose softmax p is, (p - 1) delta at the label and p delta elsewhere. An
/// invalid tensor for the same rows.
poplar::Tensor negativeLogLikelihoodGradient(
    poplar::Graph &graph, const poplar::Tensor &p, const poplar::Tensor &labels,
    const poplar::Tensor &deltas, LikelihoodBy kind,
    poplar::program::Sequence &prog, const poplar::DebugContext &dc = {});

} // namespace popnn

#endif
