// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of the functions of popnn for recurrent layers that programs call,
// once. The program is compiled and linked; its functions are not run.

#include <popnn/Gru.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/Recurrent.hpp>
#include <popnn/Rnn.hpp>

#include <iostream>

using namespace poplar;
using namespace poplar::program;
using namespace popnn;

void lstms(Graph &graph, Tensor t, Sequence &prog) {
  const OptionFlags options{{"inferenceOnly", "false"},
                            {"preCalcWeights", "false"},
                            {"partialsType", "float"},
                            {"weightAccumulatorsType", "float"},
                            {"recomputationMode", "none"},
                            {"availableMemoryProportion", "0.6"},
                            {"numShards", "1"},
                            {"rnnCodeReuse", "false"},
                            {"rnnStepsPerWU", "1"},
                            {"disableWUPartialInterleaving", "false"}};
  poplin::PlanningCache cache;
  lstm::LstmParams params(FLOAT, 2, 5, {3, 4}),
      varied(FLOAT, 2, 5, t, {3, 4}, NonLinearityType::TANH,
             NonLinearityType::SIGMOID);
  params.outputFullSequence = true;
  params.doInputWeightCalc = true;
  params.calcInputGradients = true;
  params.preserveFinalState = false;
  params.cellOrder = {BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE,
                      BASIC_LSTM_CELL_CANDIDATE, BASIC_LSTM_CELL_OUTPUT_GATE};
  std::cout << BASIC_LSTM_CELL_NUM_UNITS << params.rnn.batchSize
            << params.rnn.maxTimeSteps << params.rnn.layerSizes.size()
            << lstm::getDefaultBasicLstmCellOrder().size()
            << lstm::getBasicLstmCellFwdFlops(params)
            << lstm::getBasicLstmCellBwdFlops(params)
            << lstm::getBasicLstmCellWuFlops(params);
  Tensor in = lstm::createInput(graph, params, "in", options, &cache);
  lstm::createInitialOutput(graph, params, "output", options, &cache);
  lstm::createInitialCellState(graph, params, "cell", options, &cache);
  lstm::LstmState state =
      lstm::createInitialState(graph, params, "state", options, &cache);
  state.getAsTensor();
  lstm::zeroInitialState(graph, state, prog, "zero");
  std::pair<Tensor, Tensor> kernel =
      lstm::createWeightsKernel(graph, params, "kernel", options, &cache);
  lstm::createWeightsBiases(graph, params, "biases", options, &cache);
  lstm::LstmWeights weights =
      lstm::createWeights(graph, params, "weights", options, &cache);
  weights.inputWeights = kernel.first;
  weights.outputWeights = kernel.second;
  weights.biases = t;
  Tensor saved;
  std::pair<Tensor, Tensor> out = lstm::lstmFwd(
      graph, params, state, in, weights, &saved, prog, "fwd", options, &cache);
  lstm::lstmFwd(graph, params, state, in, weights, nullptr, prog);
  lstm::LstmState last;
  lstm::lstmBwd(graph, params, prog, state, saved, weights, in, out.first, t,
                &last, &t, &saved, "bwd", options, &cache);
  lstm::lstmBwd(graph, params, prog, state, saved, weights, in, out.first, t,
                &t, &t, &saved, "bwd", options, &cache);
  lstm::LstmWeights gradient =
      lstm::lstmWU(graph, params, prog, state, saved, saved, weights, in,
                   out.first, "wu", options, &cache);
  lstm::lstmBwdWithWU(graph, params, prog, state, saved, weights, in, out.first,
                      t, &last, &t, gradient, "bwd", options, &cache);
  lstm::lstmBwdWithWU(graph, params, prog, state, saved, weights, in, out.first,
                      t, &t, &t, gradient, "bwd", options, &cache);
}

void grus(Graph &graph, Tensor t, Sequence &prog) {
  const OptionFlags options{{"inferenceOnly", "false"},
                            {"partialsType", "float"},
                            {"availableMemoryProportion", "0.6"},
                            {"numShards", "1"},
                            {"rnnCodeReuse", "false"}};
  poplin::PlanningCache cache;
  gru::GruParams params(FLOAT, 2, 5, {3, 4}), varied(FLOAT, 2, 5, t, {3, 4});
  params.outputFullSequence = true;
  params.calcInputGradients = true;
  params.resetAfter = false;
  params.cellOrder = {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE,
                      BASIC_GRU_CELL_CANDIDATE};
  std::cout << gru::getDefaultBasicGruCellOrder().size()
            << gru::getBasicGruCellFwdFlops(params)
            << gru::getBasicGruCellBwdFlops(params)
            << gru::getBasicGruCellWuFlops(params);
  Tensor in = gru::createInput(graph, params, "in", options, &cache);
  Tensor state =
      gru::createInitialState(graph, params, "state", options, &cache);
  std::pair<Tensor, Tensor> kernel =
      gru::createWeightsKernel(graph, params, "kernel", options, &cache);
  gru::createWeightsBiases(graph, params, "biases", options, &cache);
  gru::GruWeights weights =
      gru::createWeights(graph, params, "weights", options, &cache);
  weights.inputWeights = kernel.first;
  Tensor attention = gru::createAttention(graph, params, "scores", options);
  Tensor saved, back, attentionGradient;
  gru::gruFwd(graph, params, state, in, weights, nullptr, prog);
  gru::gruFwd(graph, params, state, in, weights, &saved, prog, "fwd", options,
              &cache);
  gru::gruFwd(graph, params, state, in, t, weights, &saved, prog, "fwd",
              options, &cache);
  gru::auGruFwd(graph, params, state, in, weights, nullptr, attention, prog);
  gru::auGruFwd(graph, params, state, in, weights, &saved, attention, prog,
                "fwd", options, &cache);
  gru::auGruFwd(graph, params, state, in, t, weights, &saved, attention, prog,
                "fwd", options, &cache);
  gru::gruBwd(graph, params, prog, state, saved, weights, in, t, t, &t, &back,
              "bwd", options, &cache);
  gru::gruBwd(graph, params, prog, state, saved, weights, in, t, t, t, &t,
              &back, "bwd", options, &cache);
  gru::auGruBwd(graph, params, prog, state, saved, weights, in, t, t, &t, &back,
                attention, &attentionGradient, "bwd", options, &cache);
  gru::auGruBwd(graph, params, prog, state, saved, weights, in, t, t, t, &t,
                &back, attention, &attentionGradient, "bwd", options, &cache);
  gru::GruWeights gradient = gru::gruWU(graph, params, prog, state, saved, back,
                                        weights, in, t, "wu", options, &cache);
  gradient = gru::auGruWU(graph, params, prog, state, saved, back, weights, in,
                          t, "wu", options, &cache);
  gru::gruBwdWithWU(graph, params, prog, state, saved, weights, in, t, t, &t,
                    gradient, "bwd", options, &cache);
  gru::gruBwdWithWU(graph, params, prog, state, saved, weights, in, t, t, t, &t,
                    gradient, "bwd", options, &cache);
  gru::auGruBwdWithWU(graph, params, prog, state, saved, weights, in, t, t, &t,
                      gradient, attention, &attentionGradient, "bwd", options,
                      &cache);
  gru::auGruBwdWithWU(graph, params, prog, state, saved, weights, in, t, t, t,
                      &t, gradient, attention, &attentionGradient, "bwd",
                      options, &cache);
}

void plain(Graph &graph, Tensor t, Sequence &prog) {
  poplin::PlanningCache cache;
  const NonLinearityType type = NonLinearityType::TANH;
  rnn::getMatMulPrePlanParameters(5, 2, 3, 4, FLOAT, FLOAT, false, true);
  std::cout << rnn::getFwdFlops(5, 2, 3, 4, true)
            << rnn::getBwdFlops(5, 2, 3, 4, true)
            << rnn::getWuFlops(5, 2, 3, 4);
  rnn::createInput(graph, 5, 2, 3, 4, FLOAT, FLOAT, false, "in", &cache);
  rnn::createFwdState(graph, FLOAT, 2, 4, prog, true, false, "state", &cache);
  rnn::getOutputFromFwdState(t);
  rnn::createWeightsInput(graph, 5, 2, 3, 4, FLOAT, FLOAT, false, "w", &cache);
  rnn::createWeightsFeedback(graph, 2, 4, FLOAT, FLOAT, false, "w", &cache);
  rnn::forwardWeightInput(graph, t, t, prog, FLOAT, "in", &cache);
  rnn::forwardIterate(graph, t, t, t, t, prog, type, FLOAT, "fwd", &cache);
  rnn::createBwdState(graph, FLOAT, 2, 4, prog, "state", &cache);
  std::pair<Tensor, Tensor> both = rnn::backwardGradientStep(
      graph, t, t, t, t, t, prog, type, FLOAT, "bwd", &cache);
  Tensor last = rnn::backwardGradientStep(graph, t, t, t, t, prog, type, FLOAT,
                                          "bwd", &cache);
  rnn::paramDeltaUpdate(graph, t, t, t, t, t, t, prog, FLOAT, "wu", &cache);
  rnn::rnnFwdSequence(graph, prog, t, &t, t, t, t, t, type, FLOAT, "fwd",
                      &cache);
  std::tuple<Tensor, Tensor, Tensor, Tensor> gradients =
      rnn::rnnBwdSequence(graph, true, false, prog, t, t, t, t, t, t, t, type,
                          FLOAT, "bwd", &cache);
}

void driver(Graph &graph, Tensor t, Sequence &prog) {
  rnn::RnnParams params(FLOAT, 2, 5, {3, 4}), varied(FLOAT, 2, 5, t, {3, 4});
  std::cout << params.variableTimeSteps() << params.getInputBytesPerTile(graph)
            << params.getOutputBytesPerTile(graph)
            << params.getMaxShards(graph);
  rnn::createInitialState(graph, params, true, 2, 1, "state");
  rnn::createRecurrentTensor(graph, params, 8, 1, "recurrent");
  rnn::createInputTensor(graph, params, 1, "in");
  rnn::createOutputTensor(graph, params, 1, "out");
  rnn::createOutputTensor(graph, params, 2, 1, "out");
  rnn::shiftRnnTensor(graph, params, t, t, prog, 1, "shift");
}

int main() { return 0; }
