// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions (cross-correlations) of fields of one or two dimensions, in
// groups, with all of ConvParams' transforms. Activations are
// [batch, channels, field...], weights [group, output channels per group, input
// channels per group, kernel...]. Any mapped operands will do; those from the
// create functions lie where the convolution wants them.
//
// Options: "partialsType", "partialsType.interTile", "partialsType.interIPU"
// ("float", "half"; sums are kept in float in either case),
// "availableMemoryProportion" (number >= 0), "pass" ("NONE", "INFERENCE_FWD",
// "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU" and the same with "FC_"
// before), "use128BitConvUnitLoad", "enableMultiStageReduce",
// "enableFastReduce", "remapOutputTensor", "enableConvDithering",
// "disableTransformations", "gatherConvOutput", "disableSRForAMPVertices",
// "enableTileLevelExpandDims", "insertTransformsCycleCountProgs",
// "experimental.convTransformsEstimates", "experimental.slicVmac16" ("true",
// "false"), "planConstraints" (JSON), "planConstraintsOutputFilename". Only
// values are checked for those that choose between implementations that do not
// exist here.

#ifndef POPULUS_POPLIN_CONVOLUTION_HPP
#define POPULUS_POPLIN_CONVOLUTION_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/PlanningCache.hpp>

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <set>
#include <tuple>

namespace poplin {

/// With \p transposeAndFlipConvGroupWeights, the weights' channel dimensions
/// are swapped and their kernel is flipped first, as for a backward pass.
poplar::Tensor convolution(poplar::Graph &graph, const poplar::Tensor &in,
                           const poplar::Tensor &weights,
                           const ConvParams &params,
                           bool transposeAndFlipConvGroupWeights,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {},
                           PlanningCache *cache = nullptr);
/// The convolution and addBias() in one, which takes fewer cycles; Populus'
/// own.
/// \p biases has the type of the output and a value for each of its channels.
poplar::Tensor
convolutionWithBias(poplar::Graph &graph, const poplar::Tensor &in,
                    const poplar::Tensor &weights, const poplar::Tensor &biases,
                    const ConvParams &params, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {},
                    PlanningCache *cache = nullptr);
void convolutionWithOutput(poplar::Graph &graph, const poplar::Tensor &in,
                           const poplar::Tensor &weights,
                           const poplar::Tensor &out, const ConvParams &params,
                           bool transposeAndFlipConvGroupWeights,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {},
                           PlanningCache *cache = nullptr);

poplar::Tensor createWeights(poplar::Graph &graph, const ConvParams &params,
                             const poplar::DebugContext &debugContext,
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
poplar::Tensor createInput(poplar::Graph &graph, const ConvParams &params,
                           const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options = {},
                           PlanningCache *cache = nullptr);
/// One bias for each channel of \p activations.
poplar::Tensor
createBiases(poplar::Graph &graph, const poplar::Tensor &activations,
             const poplar::DebugContext &debugContext = {"biases"});

poplar::Tensor createBiases(poplar::Graph &graph,
                            const poplar::Tensor &activations,
                            const ConvParams &params,
                            const poplar::DebugContext &debugContext,
                            const poplar::OptionFlags &options = {},
                            PlanningCache *cache = nullptr);
/// A tensor for the result of convolutionWithOutput.
poplar::Tensor createConvOutput(poplar::Graph &graph, const ConvParams &params,
                                const poplar::DebugContext &debugContext,
                                const poplar::OptionFlags &options = {},
                                PlanningCache *cache = nullptr);

/// activations[b, c, ...] += biases[c], in place.
void addBias(poplar::Graph &graph, const poplar::Tensor &activations,
             const poplar::Tensor &biases, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});

/// weightsOut = weightsIn with channel dimensions swapped and kernel flipped.
void weightsTransposeChansFlipXY(poplar::Graph &graph,
                                 const poplar::Tensor &weightsIn,
                                 const poplar::Tensor &weightsOut,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});

/// The gradient of the weights, [groups, out, in, kernel...], from the gradient
/// of the output and the input of a convolution of the parameters.
poplar::Tensor
calculateWeightDeltas(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                      const poplar::Tensor &activations,
                      const ConvParams &params, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      PlanningCache *cache = nullptr);

/// weights += scale * their gradient.
void convolutionWeightUpdate(poplar::Graph &graph,
                             const poplar::Tensor &zDeltas,
                             const poplar::Tensor &weights,
                             const poplar::Tensor &activations,
                             ConvParams params, const poplar::Tensor &scale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
void convolutionWeightUpdate(
    poplar::Graph &graph, const poplar::Tensor &zDeltas,
    const poplar::Tensor &weights, const poplar::Tensor &activations,
    ConvParams params, float scale, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// biases += scale * the sum of the deltas of their channel.
void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                           const poplar::Tensor &biases,
                           const poplar::Tensor &scale,
                           const poplar::OptionFlags &options,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});
void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                           const poplar::Tensor &biases, float scale,
                           const poplar::OptionFlags &options,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});

/// Key of a plan: the target, the parameters and the options.
using ConvPlanParams = std::tuple<const poplar::Target *, const ConvParams,
                                  const poplar::OptionFlags *>;
/// Plans convolutions in advance and stores the plans in the cache.
void preplanConvolutions(const std::set<ConvPlanParams> &convs,
                         PlanningCache &cache);
void preplanConvolutions(poplar::Graph &graph,
                         const std::set<ConvPlanParams> &convs,
                         PlanningCache &cache);

/// Prints the parameters and the plan of a convolution, and of the one that
/// gives the gradient of its weights.
void reportPlanInfo(std::ostream &out, const poplar::Graph &graph,
                    const ConvParams &params,
                    const poplar::OptionFlags &options = {},
                    PlanningCache *cache = nullptr);
void reportWeightUpdatePlanInfo(std::ostream &out, const poplar::Graph &graph,
                                const ConvParams &fwdParams,
                                const poplar::OptionFlags &fwdOptions = {},
                                PlanningCache *cache = nullptr);

/// Estimated costs of a convolution's plan: device cycles, and the bytes of
/// operands and partial sums on the fullest tile.
struct PlanCosts {
  std::size_t cycles;
  std::size_t memory;
};
PlanCosts reportPlanEstimatedCosts(const poplar::Graph &graph,
                                   const ConvParams &params,
                                   const poplar::OptionFlags &options = {},
                                   PlanningCache *cache = nullptr);

/// Number of multiplications and additions of a convolution, and of those that
/// compute the gradients of the input and of the weights. Padding and zeros
/// between dilated elements do not count.
std::uint64_t getFwdFlops(const ConvParams &params);
std::uint64_t getBwdFlops(const ConvParams &params);
std::uint64_t getWuFlops(const ConvParams &params);

/// Cycles that the matrix units of all tiles need for that many operations.
double getFwdPerfectCycleCount(const poplar::Graph &graph,
                               const ConvParams &params);
double getBwdPerfectCycleCount(const poplar::Graph &graph,
                               const ConvParams &params);
double getWuPerfectCycleCount(const poplar::Graph &graph,
                              const ConvParams &params);

/// Throws poplar::invalid_option for options that convolution rejects.
void convolutionValidateOptions(const poplar::OptionFlags &options);

} // namespace poplin

#endif
