// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of the functions of poplin that programs call, once. The program
// is compiled and linked; its functions are not run.

#include <poplin/Cholesky.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/ConvPreplan.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/FullyConnected.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/MeshGrid.hpp>
#include <poplin/MultiConvolution.hpp>
#include <poplin/Norms.hpp>
#include <poplin/TriangularSolve.hpp>
#include <poplin/codelets.hpp>
#include <poplin/experimental/LuFactorization.hpp>
#include <poplin/experimental/QRFactorization.hpp>

#include <iostream>
#include <set>

using namespace poplar;
using namespace poplar::program;
using namespace poplin;

void products(Graph &graph, const Tensor &a, const Tensor &b, Tensor c,
              Sequence &prog) {
  addCodelets(graph);
  const OptionFlags options{{"partialsType", "float"},
                            {"fullyConnectedPass", "INFERENCE_FWD"},
                            {"availableMemoryProportion", "0.6"},
                            {"inputRHSIsPreArranged", "false"},
                            {"use128BitConvUnitLoad", "false"},
                            {"enableMultiStageReduce", "true"},
                            {"enableFastReduce", "false"},
                            {"remapOutputTensor", "true"},
                            {"gatherOutput", "false"},
                            {"disableSRForAMPVertices", "false"},
                            {"planConstraints", "{}"}};
  poplin::PlanningCache cache;
  poplin::matmul::PlanningCache own;
  matMul(graph, a, b, prog);
  matMul(graph, a, b, prog, "product");
  matMul(graph, a, b, prog, FLOAT, "product", options, &cache);
  matMul(graph, a, b, prog, FLOAT, "product", options, &own);
  matMulWithOutput(graph, a, b, c, prog, "product", options, &own);
  matMulGrouped(graph, a, b, prog, FLOAT, "product", options, &own);
  matMulGroupedWithOutput(graph, a, b, c, prog, "product", options, &own);
  matMulAcc(graph, c, 2.0f, a, b, prog, "add", options, &own);
  matMulAcc(graph, c, a, a, b, prog, "add", options, &own);
  matMulGroupedAcc(graph, c, 2.0f, a, b, prog, "add", options, &own);
  matMulGroupedAcc(graph, c, a, a, b, prog, "add", options, &own);
  createMatMulInputLHS(graph, FLOAT, {2, 3}, {3, 4}, "a", options, &own);
  createMatMulInputLHS(graph, HALF, FLOAT, {2, 3}, {3, 4}, "a");
  createMatMulInputRHS(graph, FLOAT, {2, 3}, {3, 4}, "b", options, &own);
  createMatMulInputRHS(graph, HALF, FLOAT, {2, 3}, {3, 4}, "b");
  createMatMulOutput(graph, FLOAT, {2, 3}, {3, 4}, "c", options, &own);
  createMatMulOutput(graph, HALF, FLOAT, {2, 3}, {3, 4}, "c");
  createMatMulGroupedInputLHS(graph, HALF, FLOAT, {5, 2, 3}, {5, 3, 4}, "a");
  createMatMulGroupedInputRHS(graph, HALF, FLOAT, {5, 2, 3}, {5, 3, 4}, "b");
  createMatMulGroupedOutput(graph, HALF, FLOAT, {5, 2, 3}, {5, 3, 4}, "c");
  preArrangeMatMulInputRHS(graph, {2, 3}, b, prog, FLOAT, "b", options, &own);
  preArrangeMatMulInputRHS(graph, {2, 3}, b, prog, "b");
  preArrangeMatMulGroupedInputRHS(graph, {5, 2, 3}, b, prog, FLOAT, "b");
  transposeGroupedMatrix(a);
  matMulReportPlan(std::cout, graph, HALF, FLOAT, {2, 3}, {3, 4}, options,
                   &own);
  matMulGroupedReportPlan(std::cout, graph, HALF, FLOAT, {5, 2, 3}, {5, 3, 4});
  matmulValidateOptions(options);
  MatMulParams params;
  params.inputType = HALF;
  params.outputType = FLOAT;
  params.aShape = {1, 2, 3};
  params.bShape = {1, 3, 4};
  std::set<MatMulPlanParams> plans;
  plans.emplace(&graph.getTarget(), params, &options);
  preplanMatMuls(plans, own);
}

void params() {
  ConvParams simple(FLOAT, 1, {8, 8}, {3, 3}, 4, 5, 1),
      typed(HALF, FLOAT, 1, {8, 8}, {3, 3}, 4, 5, 1);
  ConvParams::InputTransform input(2),
      kernel({0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {false, false});
  ConvParams::OutputTransform output(2),
      strided({0, 0}, {0, 0}, {2, 2}, {0, 0}, {0, 0});
  ConvParams full(HALF, FLOAT, 1, {8, 8}, {3, 3}, 4, 5, 2, input, kernel,
                  strided),
      none;
  none = full;
  none.inputTransform.paddingLower = {1, 1};
  none.inputTransform.truncationUpper = {0, 0};
  none.kernelTransform.dilation = {2, 2};
  none.kernelTransform.flip = {true, false};
  none.outputTransform.stride = {2, 2};
  none.validate();
  std::size_t sum =
      full.getOutputSize(0) + full.getUntransformedOutputSize(0) +
      full.getOutputFieldShape().size() + full.getTransformedInputSize(0) +
      full.getTransformedKernelSize(0) + full.getTruncatedInputSize(0) +
      full.getTruncatedKernelSize(0) + full.getNumOutputChans() +
      full.getNumOutputChansPerConvGroup() + full.getNumInputChans() +
      full.getNumInputChansPerConvGroup() + full.getInputSize(0) +
      full.getNumConvGroups() + full.getNumFieldDims() + full.batchSize +
      full.inputFieldShape[0] + full.kernelShape[0] +
      full.inputChannelsPerConvGroup + full.outputChannelsPerConvGroup +
      full.numConvGroups;
  ConvParams canonical = full.canonicalize();
  std::cout << full << (full < simple) << (full == typed) << (full != typed)
            << hash_value(full);
  sum += getDilatedSize(3, 2);
  getInputIndex(0, 1, 2, full);
  getKernelIndex(0, 1, 2, full);
  getOutputRangeForKernelIndex(0, {0, 4}, 1, full);
  getOutputRangeForInputIndex(0, {0, 4}, 1, full);
  getOutputRangeForKernelRange(0, {0, 4}, {0, 2}, full);
  getOutputRangeForInputRange(0, {0, 4}, {0, 2}, full);
  getInputRange(0, {0, 4}, {0, 3}, full);
  getInputRange(0, {0, 4}, full);
  getKernelRange(0, {0, 4}, {0, 3}, full);
  ConvParams back = getGradientParams(full),
             update = getWeightUpdateParams(full);
  (void)sum;
}

void convolutions(Graph &graph, const Tensor &in, const Tensor &weights,
                  const ConvParams &params, Sequence &prog) {
  const OptionFlags options{{"availableMemoryProportion", "0.6"},
                            {"pass", "INFERENCE_FWD"},
                            {"partialsType", "float"},
                            {"partialsType.interTile", "float"},
                            {"partialsType.interIPU", "float"},
                            {"use128BitConvUnitLoad", "false"},
                            {"enableMultiStageReduce", "true"},
                            {"enableFastReduce", "false"},
                            {"remapOutputTensor", "true"},
                            {"enableConvDithering", "false"},
                            {"disableTransformations", "false"},
                            {"gatherConvOutput", "false"},
                            {"disableSRForAMPVertices", "false"},
                            {"enableTileLevelExpandDims", "false"},
                            {"insertTransformsCycleCountProgs", "false"},
                            {"planConstraints", "{}"},
                            {"planConstraintsOutputFilename", ""}};
  PlanningCache cache;
  std::size_t entries = cache.size();
  Tensor out = convolution(graph, in, weights, params, false, prog);
  convolution(graph, in, weights, params, true, prog, "conv", options, &cache);
  convolutionWithOutput(graph, in, weights, out, params, false, prog, "conv",
                        options, &cache);
  createWeights(graph, params, "weights", options, &cache);
  createInput(graph, params, "input", options, &cache);
  createConvOutput(graph, params, "output", options, &cache);
  Tensor biases = createBiases(graph, in);
  createBiases(graph, in, "biases");
  createBiases(graph, in, params, "biases", options, &cache);
  weightsTransposeChansFlipXY(graph, weights, weights, prog, "flip");
  weightsTransposeChansFlipXY(graph, weights, weights, prog, "flip", options);
  addBias(graph, in, biases, prog, "bias");
  calculateWeightDeltas(graph, in, in, params, prog, "wu", options, &cache);
  convolutionWeightUpdate(graph, in, weights, in, params, 0.1f, prog, "wu",
                          options, &cache);
  convolutionWeightUpdate(graph, in, weights, in, params, biases, prog, "wu",
                          options, &cache);
  convolutionBiasUpdate(graph, in, biases, 0.1f, options, prog, "wu");
  convolutionBiasUpdate(graph, in, biases, biases, options, prog, "wu");
  std::set<ConvPlanParams> plans;
  plans.emplace(&graph.getTarget(), params, &options);
  preplanConvolutions(plans, cache);
  preplanConvolutions(graph, plans, cache);
  preplan(plans, {}, cache);
  reportPlanInfo(std::cout, graph, params, options, &cache);
  reportWeightUpdatePlanInfo(std::cout, graph, params, options, &cache);
  PlanCosts costs = reportPlanEstimatedCosts(graph, params, options, &cache);
  std::cout << costs.cycles << costs.memory;
  std::cout << getFwdFlops(params) << getBwdFlops(params) << getWuFlops(params)
            << getFwdPerfectCycleCount(graph, params)
            << getBwdPerfectCycleCount(graph, params)
            << getWuPerfectCycleCount(graph, params);
  convolutionValidateOptions(options);
  (void)entries;
}

void multi(Graph &graph, const Tensor &t, const ConvParams &params,
           Sequence &prog) {
  const OptionFlags options{{"planType", "serial"},
                            {"perConvReservedTiles", "50"},
                            {"cycleBackOff", "0.1"}};
  std::vector<multiconv::CreateTensorArgs> create{{params, {}, "conv"}};
  std::vector<multiconv::ConvolutionArgs> args{{t, t, params, {}}};
  multiconv::createWeights(graph, create, 0, options);
  multiconv::createInput(graph, create, 0, options);
  multiconv::convolution(graph, args, false, prog, "convs", options);
  std::vector<multiconv::CalculateWeightDeltasArgs> deltas{{t, t, params, {}}};
  multiconv::calculateWeightDeltas(graph, deltas, prog, "wu", options);
  std::vector<multiconv::ConvWeightUpdateArgs> byTensor{
      {t, t, t, t, params, {}}};
  multiconv::convolutionWeightUpdate(graph, byTensor, prog, "wu", options);
  std::vector<multiconv::ConvWeightUpdateArgsScalar> byScalar{
      {t, t, t, 0.1f, params, {}}};
  multiconv::convolutionWeightUpdate(graph, byScalar, prog, "wu", options);
  multiconv::weightsTransposeChansFlipXY(graph, args, {t}, prog, options,
                                         "flip");
}

void norms(Graph &graph, const Tensor &t, Sequence &prog) {
  createNormGamma(graph, t, "gamma");
  createNormGamma(graph, t, FLOAT, "gamma");
  createNormBeta(graph, t, "beta");
  createNormBeta(graph, t, FLOAT, "beta");
  std::pair<Tensor, Tensor> both = createNormParams(graph, t, "params");
  both = normStatistics(graph, t, 1e-5f, prog, false);
  both = normStatistics(graph, t, 1e-5f, prog, false, true, FLOAT, "stats");
  normWhiten(graph, t, t, t, prog, "whiten");
  normalise(graph, t, t, t, prog, "normalise");
  both = normParamGradients(graph, t, t, prog, FLOAT, "params");
  normGradients(graph, t, t, prog, "gradients");
  normStatisticsGradients(graph, t, t, t, prog, FLOAT, "gradients");
  DistributedNormReduceCallback reduce =
      [](Graph &, const std::vector<Tensor> &tensors, Sequence &, unsigned,
         const DebugContext &, const OptionFlags &) { return tensors; };
  both = distributedNormStatistics(graph, t, 1e-5f, prog, false, reduce, 8);
  both = distributedNormStatistics(graph, t, 1e-5f, prog, false, reduce, 8,
                                   true, FLOAT, "stats");
  distributedNormStatisticsGradients(graph, t, t, t, prog, reduce, 8, FLOAT,
                                     "gradients");
}

void solvers(Graph &graph, const Tensor &a, Tensor b, Sequence &prog) {
  const OptionFlags options{{"blockSize", "64"}};
  PlanningCache cache;
  createCholeskyInput(graph, FLOAT, {4, 4}, true, "a", options, &cache);
  cholesky(graph, a, true, prog, "cholesky", options, &cache);
  choleskyInPlace(graph, b, false, prog, "cholesky", options, &cache);
  getCholeskyMatMulPrePlanParameters(FLOAT, {4, 4}, true, options);
  triangularSolve(graph, a, b, true, false, true, prog, "solve", options,
                  &cache);
  triangularMask(graph, a, true, false, prog, "mask");
  createTriangularSolveInputLHS(graph, FLOAT, FLOAT, {4, 4}, {4, 2}, true, "a",
                                options, &cache);
  createTriangularSolveInputRHS(graph, FLOAT, FLOAT, {4, 4}, {4, 2}, true, "b",
                                options, &cache);
  getTriangularSolveMatMulPrePlanParameters(FLOAT, FLOAT, {4, 4}, {4, 2}, true,
                                            false, options);
  linspace(graph, FLOAT, 0, 1, 5, "line");
  meshgrid2d(graph, a, b);
  fc::FullyConnectedParams params{1, 2, 3, 4};
  fc::getMatMulPrePlanParameters(params, options, FLOAT, true);
  std::pair<Tensor, Tensor> lu =
      experimental::LUFactorization(graph, b, prog, "lu");
  std::array<Tensor, 2> qr =
      experimental::createQRFactorizationMatrices(graph, FLOAT, 4, 3, "qr");
  experimental::QRFactorization(graph, qr[0], qr[1], prog, "qr", {});
}

int main() { return 0; }
