// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of the functions of popnn that programs call, once; those of
// recurrent layers are in recurrent.cpp. The program is compiled and linked;
// its functions are not run.

#include <popnn/BatchNorm.hpp>
#include <popnn/CTCInference.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/NonLinearityDefUtil.hpp>
#include <popnn/Norms.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/RowNorm.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <popnn/codelets.hpp>
#include <popnn/experimental/ROIAlign.hpp>

#include <iostream>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using namespace popnn;

#define NONLINEARITY(NAME)                                                     \
  NAME(graph, t, prog);                                                        \
  NAME(graph, t, prog, "x");                                                   \
  NAME##InPlace(graph, t, prog, "x");                                          \
  NAME(graph, t, scaling, prog, "x");                                          \
  NAME##InPlace(graph, t, scaling, prog, "x")

void nonLinearities(Graph &graph, Tensor t, Sequence &prog, ComputeSet set) {
  addCodelets(graph);
  float scaling;
  for (NonLinearityType type :
       {NonLinearityType::SIGMOID, NonLinearityType::HARD_SIGMOID,
        NonLinearityType::RELU, NonLinearityType::TANH, NonLinearityType::GELU,
        NonLinearityType::GELU_ERF, NonLinearityType::SWISH,
        NonLinearityType::SOFTMAX, NonLinearityType::SOFTMAX_STABLE,
        NonLinearityType::SOFTMAX_SCALED}) {
    nonLinearity(graph, type, t, prog);
    nonLinearity(graph, type, t, scaling, prog, "x");
    nonLinearityInPlace(graph, type, t, prog, "x");
    nonLinearityInPlace(graph, type, t, set, "x");
    nonLinearityInPlace(graph, type, t, scaling, prog, "x");
    nonLinearityInPlace(graph, type, t, scaling, set, "x");
    nonLinearityInputGradient(graph, type, t, t, prog, "x");
    nonLinearityInputGradient(graph, type, t, t, set, "x");
    std::cout << asString(type) << type;
    std::stringstream text("relu");
    text >> type;
  }
  NONLINEARITY(sigmoid);
  NONLINEARITY(relu);
  NONLINEARITY(tanh);
  NONLINEARITY(gelu);
  NONLINEARITY(geluErf);
  NONLINEARITY(swish);
  NONLINEARITY(softmax);
  NONLINEARITY(softmaxStable);
  scaledSoftmaxStable(graph, t, scaling, prog, "x");
  scaledSoftmaxStableInPlace(graph, t, scaling, prog, "x");
  logSoftmax(graph, t, prog, "x");
  logSoftmaxInPlace(graph, t, prog, "x");
}

void losses(Graph &graph, const Tensor &t, Sequence &prog) {
  prog.add(calcLoss(graph, t, t, t, t, SUM_SQUARED_LOSS));
  prog.add(calcLoss(graph, t, t, t, t, CROSS_ENTROPY_LOSS, "loss"));
  prog.add(calcLoss(graph, t, t, t, t, t, CROSS_ENTROPY_LOSS, "loss"));
  prog.add(calcLoss(graph, t, t, t, t, t, t, CROSS_ENTROPY_LOSS, "loss"));
  prog.add(calcLoss(graph, t, t, t, t, t, t, t, CROSS_ENTROPY_LOSS, "loss"));
  prog.add(calcAccuracy(graph, t, t, t, "accuracy"));
  argMax(graph, t, prog, "max");
  argMin(graph, t, prog, "min");
  std::pair<Tensor, Tensor> both = maxAndArgMax(graph, t, prog, "max");
  both = minAndArgMin(graph, t, prog, "min");
  Tensor indices;
  topK(graph, t, indices, 3, true, prog, "top");
}

void pools(Graph &graph, const Tensor &t, Sequence &prog) {
  pooling::PoolParams params(PoolingType::MAX, {8, 8}, {2, 2}, {2, 2}, {0, 0},
                             {0, 0}, 4, 1, FLOAT);
  std::cout << params.getOutputFieldShape().size() << params.poolingType
            << pooling::asString(PoolingType::AVG);
  const OptionFlags options{{"poolUseIntrospectiveMapping", "true"},
                            {"optimizeForSpeed", "false"},
                            {"useFloatPartialsWhereBeneficial", "false"}};
  pooling::pool(graph, params, t, prog);
  pooling::pool(graph, params, t, prog, "pool", options);
  pooling::poolInputGradient(graph, params, t, t, t, true, prog, "pool",
                             options);
  pooling::poolInputGradient(graph, params, 4, t, prog, "pool", options);
  std::cout << pooling::getFwdFlops(params) << pooling::getBwdFlops(params)
            << pooling::getFwdPerfectCycleCount(graph, params)
            << pooling::getBwdPerfectCycleCount(graph, params);
}

void batchNorms(Graph &graph, const Tensor &t, Tensor gamma, Tensor beta,
                Sequence &prog) {
  createNormGamma(graph, t, "gamma");
  createNormGamma(graph, t, FLOAT, "gamma");
  createNormBeta(graph, t, "beta");
  std::pair<Tensor, Tensor> both = createNormParams(graph, t, "params");
  std::cout << getNormFwdFlops(1, 2, true) << getNormBwdFlops(1, 2)
            << getNormWuFlops(1, 2);
  both = bn::batchNormStatistics(graph, t, 1e-5f, prog, false);
  both = bn::batchNormStatistics(graph, t, 1e-5f, prog, false, true, FLOAT,
                                 "stats", {});
  bn::batchNormWhiten(graph, t, t, t, prog, "whiten", {});
  both = bn::batchNormalise(graph, t, t, t, t, t, prog, "normalise", {});
  Tensor out = bn::batchNormalise(graph, t, t, t, prog, "normalise", {});
  both = bn::batchNormParamGradients(graph, t, t, t, t, prog, FLOAT, "p", {});
  both = bn::batchNormParamGradients(graph, t, t, prog, FLOAT, "p", {});
  bn::batchNormGradients(graph, t, t, t, t, t, prog, FLOAT, "g", {});
  bn::batchNormGradients(graph, t, t, t, t, prog, FLOAT, "g", {});
  bn::batchNormParamUpdate(graph, t, t, 0.1f, gamma, beta, prog, "u", {});
  bn::batchNormParamUpdate(graph, t, t, t, gamma, beta, prog, "u", {});
  poplin::DistributedNormReduceCallback reduce =
      [](Graph &, const std::vector<Tensor> &tensors, Sequence &, unsigned,
         const DebugContext &, const OptionFlags &) { return tensors; };
  both = bn::distributedBatchNormStatistics(
      graph, t, 1e-5f, prog, false, reduce, 8, true, FLOAT, "stats", {});
  bn::distributedBatchNormGradients(graph, t, t, t, t, t, prog, reduce, 8,
                                    FLOAT, "g", {});
  bn::distributedBatchNormGradients(graph, t, t, t, t, prog, reduce, 8, FLOAT,
                                    "g", {});
}

void groupNorms(Graph &graph, const Tensor &t, Tensor gamma, Tensor beta,
                Sequence &prog) {
  const OptionFlags options{{"groupNormStridedChannelGrouping", "true"}};
  std::pair<Tensor, Tensor> both =
      gn::groupNormStatistics(graph, t, 1e-5f, prog, 2, false);
  both = gn::groupNormStatistics(graph, t, 1e-5f, prog, 2, false, true, FLOAT,
                                 "stats", options);
  gn::groupNormWhiten(graph, t, t, t, prog, "whiten", options);
  both = gn::groupNormalise(graph, t, t, t, t, t, prog, "n", options);
  both =
      gn::groupNormParamGradients(graph, t, t, t, t, prog, FLOAT, "p", options);
  both = gn::groupNormParamGradients(graph, t, t, prog, FLOAT, "p", options);
  gn::groupNormGradients(graph, t, t, t, t, t, prog, FLOAT, "g", options);
  gn::groupNormGradients(graph, t, t, t, t, prog, FLOAT, "g", options);
  gn::groupNormParamUpdate(graph, t, t, 0.1f, gamma, beta, prog, "u", options);
  gn::groupNormParamUpdate(graph, t, t, t, gamma, beta, prog, "u", options);
}

void instanceNorms(Graph &graph, const Tensor &t, Tensor gamma, Tensor beta,
                   Sequence &prog) {
  std::pair<Tensor, Tensor> both =
      in::instanceNormStatistics(graph, t, 1e-5f, prog, false);
  both = in::instanceNormStatistics(graph, t, 1e-5f, prog, false, true, FLOAT,
                                    "stats", {});
  in::instanceNormWhiten(graph, t, t, t, prog, "whiten", {});
  both = in::instanceNormalise(graph, t, t, t, t, t, prog, "n", {});
  both = in::instanceNormParamGradients(graph, t, t, t, t, prog, FLOAT, "p");
  both = in::instanceNormParamGradients(graph, t, t, prog, FLOAT, "p", {});
  in::instanceNormGradients(graph, t, t, t, t, t, prog, FLOAT, "g", {});
  in::instanceNormGradients(graph, t, t, t, t, prog, FLOAT, "g", {});
  in::instanceNormParamUpdate(graph, t, t, 0.1f, gamma, beta, prog, "u", {});
  in::instanceNormParamUpdate(graph, t, t, t, gamma, beta, prog, "u", {});
  std::cout << in::getFwdFlops(1, 2, true) << in::getBwdFlops(1, 2)
            << in::getWuFlops(1, 2);
}

void layerNorms(Graph &graph, const Tensor &t, Tensor gamma, Tensor beta,
                Sequence &prog) {
  std::pair<Tensor, Tensor> both =
      ln::layerNormStatistics(graph, t, 1e-5f, prog, false);
  ln::layerNormWhiten(graph, t, t, t, prog, "whiten", {});
  both = ln::layerNormalise(graph, t, t, t, t, t, prog, "n", {});
  both = ln::layerNormParamGradients(graph, t, t, t, t, prog, FLOAT, "p", {});
  both = ln::layerNormParamGradients(graph, t, t, prog, FLOAT, "p", {});
  ln::layerNormGradients(graph, t, t, t, t, t, prog, FLOAT, "g", {});
  ln::layerNormGradients(graph, t, t, t, t, prog, FLOAT, "g", {});
  normaliseRows(graph, t, t, t, RowNormParams{}, prog, "r");
  ln::layerNormParamUpdate(graph, t, t, 0.1f, gamma, beta, prog, "u", {});
  ln::layerNormParamUpdate(graph, t, t, t, gamma, beta, prog, "u", {});
}

void sequences(Graph &graph, const Tensor &t, Sequence &prog) {
  const OptionFlags planning{{"partialsType", "float"},
                             {"enableReducedClassesInLabel", "true"},
                             {"availableMemoryProportion", "0.6"},
                             {"planConstraints", "{}"}},
      options{{"includeSoftmaxGradient", "true"},
              {"zeroInfinity", "false"},
              {"zeroInfinityRelTolerance", "0.01"},
              {"returnReducedCodeletGradient", "false"}};
  ctc::Plan plan = ctc::plan(graph, FLOAT, FLOAT, 2, 10, 4, 5, planning);
  std::cout << plan;
  ctc::createDataInput(graph, FLOAT, 2, 10, 5, plan, "data");
  ctc::createLabelsInput(graph, UNSIGNED_SHORT, 2, 4, plan, "labels");
  std::pair<Tensor, Tensor> both = ctc::calcLossAndGradientLogProbabilities(
      graph, FLOAT, t, t, t, t, prog, 0, plan, "ctc", options);
  both = ctc::calcLossAndGradientLogits(graph, FLOAT, t, t, t, t, prog, 0, plan,
                                        "ctc", options);
  ctc::calcCTCLossLogProbabilities(graph, FLOAT, t, t, t, t, prog, 0, plan,
                                   "ctc", options);
  ctc::calcCTCLossLogits(graph, FLOAT, t, t, t, t, prog, 0, plan, "ctc",
                         options);
  plan = ctc_infer::plan(graph, FLOAT, 2, 10, 5, 3,
                         {{"partialsType", "float"},
                          {"availableMemoryProportion", "0.6"},
                          {"sortStageGroups", "2"}});
  ctc_infer::createDataInput(graph, FLOAT, 2, 10, 5, plan, "data");
  std::tuple<Tensor, Tensor, Tensor> beams =
      ctc_infer::beamSearchDecoderLogProbabilities(graph, t, t, prog, 0, 3, 2,
                                                   plan, "beams", {});
  beams = ctc_infer::beamSearchDecoderLogits(graph, t, t, prog, 0, 3, 2, plan);
}

void vision(Graph &graph, const Tensor &t, Sequence &prog) {
  std::pair<Tensor, Tensor> both =
      spatialSoftMax2D(graph, prog, t, 1.0f, false, "softmax");
  both = spatialSoftMax2D(graph, prog, t, 1.0f);
  experimental::roiAlignParams params;
  params.alignedHeight = 3;
  params.alignedWidth = 4;
  params.spatialScale = 0.5f;
  params.samplingRatio = 2;
  experimental::roiAlignFwd(graph, t, t, t, params, prog, "align");
  experimental::roiAlignInputGradient(graph, t, t, t, t, params, prog, "align");
}

int main() { return 0; }
