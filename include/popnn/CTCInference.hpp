// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beam search for the likeliest labels of sequences of class probabilities
// (connectionist temporal classification). After each time step the \p
// beamwidth likeliest prefixes of labels are kept. A label is a sequence of
// classes from which first repetitions and then blanks have been removed.

#ifndef POPULUS_POPNN_CTCINFERENCE_HPP
#define POPULUS_POPNN_CTCINFERENCE_HPP

#include <popnn/CTCPlan.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <tuple>

namespace popnn {
namespace ctc_infer {

/// Options: "partialsType" ("float"), "availableMemoryProportion" and
/// "sortStageGroups" are checked and make no difference here. \p numClasses
/// counts the blank class.
ctc::Plan plan(const poplar::Graph &graph, const poplar::Type &inType,
               unsigned batchSize, unsigned maxTime, unsigned numClasses,
               unsigned beamwidth, const poplar::OptionFlags &options = {});

/// [maxTime, batchSize, numClasses]
poplar::Tensor createDataInput(poplar::Graph &graph, const poplar::Type &type,
                               std::size_t batchSize, std::size_t maxTime,
                               std::size_t numClasses, const ctc::Plan &plan,
                               const poplar::DebugContext &debugContext = {});

/// Takes log probabilities [maxTime, batch, classes] and the lengths of the
/// sequences [batch]. Returns the \p topPaths likeliest labels of each
/// sequence, the likeliest first: their negative log probabilities [batch,
/// topPaths], of the type of \p logProbs; their lengths [batch, topPaths],
/// UNSIGNED_INT; and the labels [batch, topPaths, maxTime], UNSIGNED_INT,
/// padded with the blank class. If the beam has fewer labels, the others are
/// empty, with an infinite negative logarithm.
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor>
beamSearchDecoderLogProbabilities(poplar::Graph &graph,
                                  const poplar::Tensor &logProbs,
                                  const poplar::Tensor &dataLengths,
                                  poplar::program::Sequence &prog,
                                  unsigned blankClass, unsigned beamwidth,
                                  unsigned topPaths, const ctc::Plan &plan,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});

/// The same for the softmax of \p logits.
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor>
beamSearchDecoderLogits(poplar::Graph &graph, const poplar::Tensor &logits,
                        const poplar::Tensor &dataLengths,
                        poplar::program::Sequence &prog, unsigned blankClass,
                        unsigned beamwidth, unsigned topPaths,
                        const ctc::Plan &plan,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {});

} // namespace ctc_infer
} // namespace popnn

#endif
