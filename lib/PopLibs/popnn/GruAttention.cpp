// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms of a gated recurrent unit with attention, whose scores weaken the
// update gate.

#include "lib/PopLibs/popnn/GruLayer.h"

#include <popops/DynamicSlice.hpp>

using namespace poplar;
using namespace poplar::program;

namespace popnn::gru {

using namespace layer;

Tensor createAttention(Graph &graph, const GruParams &params,
                       const DebugContext &debugContext,
                       const OptionFlags &options) {
  const Layer l(graph, params, options, nullptr, debugContext);
  return popops::createSliceableTensor(
             graph, params.rnn.dataType,
             {params.rnn.maxTimeSteps, params.rnn.batchSize}, {0}, {1}, 0,
             {l.dc, "attention"})
      .transpose();
}

Tensor auGruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit,
                const Tensor &in, const GruWeights &weights,
                Tensor *intermediates, const Tensor &attScores,
                Sequence &fwdProg, const DebugContext &debugContext,
                const OptionFlags &options,
                poplin::PlanningCache *planningCache) {
  return forward(graph, params, stateInit, in, weights, intermediates,
                 attScores, fwdProg, debugContext, options, planningCache);
}

Tensor auGruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit,
                const Tensor &in, const Tensor &realTimeSteps,
                const GruWeights &weights, Tensor *intermediates,
                const Tensor &attScores, Sequence &fwdProg,
                const DebugContext &debugContext, const OptionFlags &options,
                poplin::PlanningCache *planningCache) {
  return auGruFwd(graph, withTimeSteps(params, realTimeSteps), stateInit, in,
                  weights, intermediates, attScores, fwdProg, debugContext,
                  options, planningCache);
}

Tensor auGruBwd(Graph &graph, const GruParams &params, Sequence &prog,
                const Tensor &, const Tensor &fwdIntermediatesSeq,
                const GruWeights &weights, const Tensor &, const Tensor &,
                const Tensor &gradLayerNext, Tensor *inputGrad,
                Tensor *bwdIntermediates, const Tensor &attentions,
                Tensor *attentionsGrad, const DebugContext &debugContext,
                const OptionFlags &options,
                poplin::PlanningCache *planningCache) {
  return backward(graph, params, prog, fwdIntermediatesSeq, weights,
                  gradLayerNext, inputGrad, bwdIntermediates, attentions,
                  attentionsGrad, debugContext, options, planningCache);
}

Tensor auGruBwd(Graph &graph, const GruParams &params, Sequence &prog,
                const Tensor &fwdOutputInit, const Tensor &fwdIntermediatesSeq,
                const GruWeights &weights, const Tensor &fwdInputSeq,
                const Tensor &realTimeSteps, const Tensor &fwdOutput,
                const Tensor &gradLayerNext, Tensor *inputGrad,
                Tensor *bwdIntermediates, const Tensor &attentions,
                Tensor *attentionsGrad, const DebugContext &debugContext,
                const OptionFlags &options,
                poplin::PlanningCache *planningCache) {
  return auGruBwd(graph, withTimeSteps(params, realTimeSteps), prog,
                  fwdOutputInit, fwdIntermediatesSeq, weights, fwdInputSeq,
                  fwdOutput, gradLayerNext, inputGrad, bwdIntermediates,
                  attentions, attentionsGrad, debugContext, options,
                  planningCache);
}

// The weights do not meet the attention.
GruWeights auGruWU(Graph &graph, const GruParams &params, Sequence &prog,
                   const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                   const Tensor &bwdIntermediates, const GruWeights &weights,
                   const Tensor &input, const Tensor &output,
                   const DebugContext &debugContext, const OptionFlags &options,
                   poplin::PlanningCache *planningCache) {
  return gruWU(graph, params, prog, fwdOutputInit, fwdIntermediates,
               bwdIntermediates, weights, input, output, debugContext, options,
               planningCache);
}

Tensor auGruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog,
                      const Tensor &fwdOutputInit,
                      const Tensor &fwdIntermediates, const GruWeights &weights,
                      const Tensor &input, const Tensor &output,
                      const Tensor &outputGrad, Tensor *inputGrad,
                      GruWeights &weightsGrad, const Tensor &attentions,
                      Tensor *attentionsGrad, const DebugContext &debugContext,
                      const OptionFlags &options,
                      poplin::PlanningCache *planningCache) {
  Tensor deltas;
  const Tensor gradient =
      auGruBwd(graph, params, prog, fwdOutputInit, fwdIntermediates, weights,
               input, output, outputGrad, inputGrad, &deltas, attentions,
               attentionsGrad, debugContext, options, planningCache);
  weightsGrad =
      auGruWU(graph, params, prog, fwdOutputInit, fwdIntermediates, deltas,
              weights, input, output, debugContext, options, planningCache);
  return gradient;
}

Tensor auGruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog,
                      const Tensor &fwdOutputInit,
                      const Tensor &fwdIntermediates, const GruWeights &weights,
                      const Tensor &input, const Tensor &realTimeSteps,
                      const Tensor &output, const Tensor &outputGrad,
                      Tensor *inputGrad, GruWeights &weightsGrad,
                      const Tensor &attentions, Tensor *attentionsGrad,
                      const DebugContext &debugContext,
                      const OptionFlags &options,
                      poplin::PlanningCache *planningCache) {
  return auGruBwdWithWU(graph, withTimeSteps(params, realTimeSteps), prog,
                        fwdOutputInit, fwdIntermediates, weights, input, output,
                        outputGrad, inputGrad, weightsGrad, attentions,
                        attentionsGrad, debugContext, options, planningCache);
}

} // namespace popnn::gru
