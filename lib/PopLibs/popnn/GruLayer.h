// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer of gated recurrent units, forwards and backwards, with and without
// attention. The functions of popnn/Gru.hpp (Gru.cpp, GruAttention.cpp) are
// forms of these.

#ifndef POPULUS_LIB_POPLIBS_POPNN_GRULAYER_H
#define POPULUS_LIB_POPLIBS_POPNN_GRULAYER_H

#include "lib/PopLibs/popnn/RecurrentLayer.h"

#include <popnn/Gru.hpp>

#include <vector>

namespace popnn::gru::layer {

constexpr std::size_t Units = BASIC_GRU_CELL_NUM_UNITS;

struct Layer {
  Layer(poplar::Graph &graph, const GruParams &params,
        const poplar::OptionFlags &options, poplin::PlanningCache *cache,
        const poplar::DebugContext &debugContext);

  const poplar::DebugContext dc;
  const RecurrentLayer layer;
};

/// Tensors that a step saves for the backward pass: the units in the default
/// order, then these. The last one exists with resetAfter only.
enum Saved { PreviousOutput = Units, ResetProduct };

std::vector<std::size_t> savedShape(const GruParams &params);
std::vector<std::size_t> deltasShape(const GruParams &params);

/// Weights or biases whose units are in the default order, in that of the cell.
poplar::Tensor inCellOrder(const GruParams &params, const poplar::Tensor &t);

GruParams withTimeSteps(const GruParams &params, const poplar::Tensor &steps);

/// gruFwd, or auGruFwd where \p attention is valid.
poplar::Tensor forward(poplar::Graph &graph, const GruParams &params,
                       const poplar::Tensor &stateInit,
                       const poplar::Tensor &in, const GruWeights &weights,
                       poplar::Tensor *intermediates,
                       const poplar::Tensor &attention,
                       poplar::program::Sequence &fwdProg,
                       const poplar::DebugContext &debugContext,
                       const poplar::OptionFlags &options,
                       poplin::PlanningCache *planningCache);

/// gruBwd, or auGruBwd where \p attention is valid.
poplar::Tensor backward(
    poplar::Graph &graph, const GruParams &params,
    poplar::program::Sequence &prog, const poplar::Tensor &fwdIntermediatesSeq,
    const GruWeights &weights, const poplar::Tensor &gradLayerNext,
    poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
    const poplar::Tensor &attention, poplar::Tensor *attentionGrad,
    const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options, poplin::PlanningCache *planningCache);

} // namespace popnn::gru::layer

#endif
