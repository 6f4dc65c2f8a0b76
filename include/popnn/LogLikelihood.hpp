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

/// Variable of the gradient.
enum class LikelihoodBy { PROBABILITIES, LOGARITHMS, LOGITS };

/// Returns the loss of each row of \p p, FLOAT [..., classes], with labels INT
/// [...]: -p[label], or -log max(p[label], 1e-7) for probabilities. A label out
/// of range has loss 0. Returns an invalid tensor if the rows are too long or a
/// tile has too many of them.
poplar::Tensor negativeLogLikelihood(poplar::Graph &graph,
                                     const poplar::Tensor &p,
                                     const poplar::Tensor &labels,
                                     LikelihoodOf kind,
                                     poplar::program::Sequence &prog,
                                     const poplar::DebugContext &dc = {});

/// Returns the gradient for \p deltas FLOAT [...] of the rows: at the label
/// -delta / max(p, 1e-10), or -delta for logarithms, and 0 elsewhere. For the
/// logits whose softmax is p: (p - 1) delta at the label and p delta elsewhere.
/// Returns an invalid tensor in the same cases.
poplar::Tensor negativeLogLikelihoodGradient(
    poplar::Graph &graph, const poplar::Tensor &p, const poplar::Tensor &labels,
    const poplar::Tensor &deltas, LikelihoodBy kind,
    poplar::program::Sequence &prog, const poplar::DebugContext &dc = {});

} // namespace popnn

#endif
