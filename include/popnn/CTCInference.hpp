// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The likeliest labels of sequences of class probabilities (connectionist
// temporal classification), by a beam search: after each time, the \p beamwidth
// likeliest beginnings of labels are kept. A label is what is left of a
// sequence of classes when repetitions, then blanks are taken out.

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

/// From logarithms of probabilities [maxTime, batch, classes] and the lengths
/// of the sequences [batch], for each sequence the \p topPaths likeliest labels
/// of the beam, the likeliest first: minus the logarithms of their
/// probabilities [batch, topPaths], of the type of \p logProbs; their lengths
/// [batch, topPaths], UNSIGNED_INT; and the labels [batch, topPaths, maxTime],
/// UNSIGNED_INT, filled up with the blank class. Where the beam has fewer
/// labels, the others are empty, with an infinite logarithm.
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
