// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several convolutions at once. They are computed one after the other.
//
// Options, for all of them: "planType" ("parallel", "serial"),
// "perConvReservedTiles" (integer), "cycleBackOff" (number from 0 to 1):
// checked, without effect here. Each convolution has its own options
// (Convolution.hpp).

#ifndef POPULUS_POPLIN_MULTICONVOLUTION_HPP
#define POPULUS_POPLIN_MULTICONVOLUTION_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/PlanningCache.hpp>

#include <string>
#include <vector>

namespace poplin {
namespace multiconv {

struct CreateTensorArgs {
  ConvParams params;
  poplar::OptionFlags options;
  std::string name;
};

struct ConvolutionArgs {
  poplar::Tensor inputs;
  poplar::Tensor weights;
  ConvParams params;
  poplar::OptionFlags options;
};

struct CalculateWeightDeltasArgs {
  poplar::Tensor zDeltas;
  poplar::Tensor activations;
  ConvParams params;
  poplar::OptionFlags options;
};

/// ScaleType is poplar::Tensor or float.
template <class ScaleType> struct ConvWeightUpdateArgsScaled {
  poplar::Tensor zDeltas;
  poplar::Tensor weights;
  poplar::Tensor activations;
  ScaleType scale;
  ConvParams params;
  poplar::OptionFlags options;
};
using ConvWeightUpdateArgs = ConvWeightUpdateArgsScaled<poplar::Tensor>;
using ConvWeightUpdateArgsScalar = ConvWeightUpdateArgsScaled<float>;

/// The weights, and the input, of the convolution of that index.
poplar::Tensor createWeights(poplar::Graph &graph,
                             const std::vector<CreateTensorArgs> &args,
                             unsigned weightsIndex,
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
poplar::Tensor createInput(poplar::Graph &graph,
                           const std::vector<CreateTensorArgs> &args,
                           unsigned inputIndex,
                           const poplar::OptionFlags &options = {},
                           PlanningCache *cache = nullptr);

/// The results, in the order of \p args.
std::vector<poplar::Tensor>
convolution(poplar::Graph &graph, const std::vector<ConvolutionArgs> &args,
            bool transposeAndFlipWeights, poplar::program::Sequence &prog,
            const poplar::DebugContext &debugContext = {},
            const poplar::OptionFlags &options = {},
            PlanningCache *cache = nullptr);

/// The gradients of the weights, in the order of \p args.
std::vector<poplar::Tensor> calculateWeightDeltas(
    poplar::Graph &graph, const std::vector<CalculateWeightDeltasArgs> &args,
    poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// weights += scale * their gradient, for each.
void convolutionWeightUpdate(poplar::Graph &graph,
                             const std::vector<ConvWeightUpdateArgs> &args,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
void convolutionWeightUpdate(
    poplar::Graph &graph, const std::vector<ConvWeightUpdateArgsScalar> &args,
    poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// weightsOut[i] = weightsIn[i] with channel dimensions swapped and kernel
/// flipped, for each convolution of \p args.
void weightsTransposeChansFlipXY(poplar::Graph &graph,
                                 std::vector<ConvolutionArgs> &args,
                                 const std::vector<poplar::Tensor> &weightsIn,
                                 poplar::program::Sequence &prog,
                                 const poplar::OptionFlags &options,
                                 const poplar::DebugContext &debugContext = {},
                                 PlanningCache *cache = nullptr);

} // namespace multiconv
} // namespace poplin

#endif
