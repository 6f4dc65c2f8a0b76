// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Identifiers of the operators of ai.graphcore.

#ifndef POPULUS_INCLUDE_POPART_GRAPHCOREOPERATORS_HPP
#define POPULUS_INCLUDE_POPART_GRAPHCOREOPERATORS_HPP

#include <popart/operatoridentifier.hpp>

namespace popart {
namespace Onnx {
namespace CustomOperators {

static const OperatorIdentifier Abort_1(Domain::ai_graphcore, "Abort", 1);
static const OperatorIdentifier AddBias_1(Domain::ai_graphcore, "AddBias", 1);
static const OperatorIdentifier Atan2_1(Domain::ai_graphcore, "Atan2", 1);
static const OperatorIdentifier BatchNormalization_1(Domain::ai_graphcore,
                                                     "BatchNormalization", 1);
static const OperatorIdentifier BitwiseAnd_1(Domain::ai_graphcore, "BitwiseAnd",
                                             1);
static const OperatorIdentifier BitwiseNot_1(Domain::ai_graphcore, "BitwiseNot",
                                             1);
static const OperatorIdentifier BitwiseOr_1(Domain::ai_graphcore, "BitwiseOr",
                                            1);
static const OperatorIdentifier BitwiseXnor_1(Domain::ai_graphcore,
                                              "BitwiseXnor", 1);
static const OperatorIdentifier BitwiseXor_1(Domain::ai_graphcore, "BitwiseXor",
                                             1);
static const OperatorIdentifier Bucketize_1(Domain::ai_graphcore, "Bucketize",
                                            1);
static const OperatorIdentifier Call_1(Domain::ai_graphcore, "Call", 1);
static const OperatorIdentifier ConvFlipWeights_1(Domain::ai_graphcore,
                                                  "ConvFlipWeights", 1);
static const OperatorIdentifier Ctc_1(Domain::ai_graphcore, "Ctc", 1);
static const OperatorIdentifier
    CtcBeamSearchDecoder_1(Domain::ai_graphcore, "CtcBeamSearchDecoder", 1);
static const OperatorIdentifier DepthToSpace_1(Domain::ai_graphcore,
                                               "DepthToSpace", 1);
static const OperatorIdentifier Detach_1(Domain::ai_graphcore, "Detach", 1);
static const OperatorIdentifier DynamicAdd_1(Domain::ai_graphcore, "DynamicAdd",
                                             1);
static const OperatorIdentifier DynamicSlice_1(Domain::ai_graphcore,
                                               "DynamicSlice", 1);
static const OperatorIdentifier DynamicUpdate_1(Domain::ai_graphcore,
                                                "DynamicUpdate", 1);
static const OperatorIdentifier DynamicZero_1(Domain::ai_graphcore,
                                              "DynamicZero", 1);
static const OperatorIdentifier Expm1_1(Domain::ai_graphcore, "Expm1", 1);
static const OperatorIdentifier Fmod_1(Domain::ai_graphcore, "Fmod", 1);
static const OperatorIdentifier Gelu_1(Domain::ai_graphcore, "Gelu", 1);
static const OperatorIdentifier GeluErf_1(Domain::ai_graphcore, "GeluErf", 1);
static const OperatorIdentifier GroupNormalization_1(Domain::ai_graphcore,
                                                     "GroupNormalization", 1);
static const OperatorIdentifier GroupedGather_1(Domain::ai_graphcore,
                                                "GroupedGather", 1);
static const OperatorIdentifier
    GroupedScatterReduce_1(Domain::ai_graphcore, "GroupedScatterReduce", 1);
static const OperatorIdentifier IdentityLoss_1(Domain::ai_graphcore,
                                               "IdentityLoss", 1);
static const OperatorIdentifier IncrementMod_1(Domain::ai_graphcore,
                                               "IncrementMod", 1);
static const OperatorIdentifier Init_1(Domain::ai_graphcore, "Init", 1);
static const OperatorIdentifier L1_1(Domain::ai_graphcore, "L1", 1);
static const OperatorIdentifier LSTM_1(Domain::ai_graphcore, "LSTM", 1);
static const OperatorIdentifier Log1p_1(Domain::ai_graphcore, "Log1p", 1);
static const OperatorIdentifier MultiConv_1(Domain::ai_graphcore, "MultiConv",
                                            1);
static const OperatorIdentifier NearbyInt_1(Domain::ai_graphcore, "NearbyInt",
                                            1);
static const OperatorIdentifier Nll_1(Domain::ai_graphcore, "Nll", 1);
static const OperatorIdentifier Nop_1(Domain::ai_graphcore, "Nop", 1);
static const OperatorIdentifier NormalizeImage_1(Domain::ai_graphcore,
                                                 "NormalizeImage", 1);
static const OperatorIdentifier PrintTensor_1(Domain::ai_graphcore,
                                              "PrintTensor", 1);
static const OperatorIdentifier ReduceMedian_1(Domain::ai_graphcore,
                                               "ReduceMedian", 1);
static const OperatorIdentifier Remainder_1(Domain::ai_graphcore, "Remainder",
                                            1);
static const OperatorIdentifier ReplicatedAllGather_1(Domain::ai_graphcore,
                                                      "ReplicatedAllGather", 1);
static const OperatorIdentifier ReplicatedAllReduce_1(Domain::ai_graphcore,
                                                      "ReplicatedAllReduce", 1);
static const OperatorIdentifier
    ReplicatedReduceScatter_1(Domain::ai_graphcore, "ReplicatedReduceScatter",
                              1);
static const OperatorIdentifier Reshape_1(Domain::ai_graphcore, "Reshape", 1);
static const OperatorIdentifier Reverse_1(Domain::ai_graphcore, "Reverse", 1);
static const OperatorIdentifier Round_1(Domain::ai_graphcore, "Round", 1);
static const OperatorIdentifier Scale_1(Domain::ai_graphcore, "Scale", 1);
static const OperatorIdentifier ScaledAdd_1(Domain::ai_graphcore, "ScaledAdd",
                                            1);
static const OperatorIdentifier ScatterReduce_1(Domain::ai_graphcore,
                                                "ScatterReduce", 1);
static const OperatorIdentifier SequenceSlice_1(Domain::ai_graphcore,
                                                "SequenceSlice", 1);
static const OperatorIdentifier ShapedDropout_1(Domain::ai_graphcore,
                                                "ShapedDropout", 1);
static const OperatorIdentifier Slice_1(Domain::ai_graphcore, "Slice", 1);
static const OperatorIdentifier Sort_1(Domain::ai_graphcore, "Sort", 1);
static const OperatorIdentifier SplineBasis_1(Domain::ai_graphcore,
                                              "SplineBasis", 1);
static const OperatorIdentifier SplineWeighting_1(Domain::ai_graphcore,
                                                  "SplineWeighting", 1);
static const OperatorIdentifier Square_1(Domain::ai_graphcore, "Square", 1);
static const OperatorIdentifier Subsample_1(Domain::ai_graphcore, "Subsample",
                                            1);
static const OperatorIdentifier Swish_1(Domain::ai_graphcore, "Swish", 1);
static const OperatorIdentifier TensorRemap_1(Domain::ai_graphcore,
                                              "TensorRemap", 1);
static const OperatorIdentifier Zeros_1(Domain::ai_graphcore, "Zeros", 1);
static const OperatorIdentifier ZerosLike_1(Domain::ai_graphcore, "ZerosLike",
                                            1);

} // namespace CustomOperators
} // namespace Onnx
} // namespace popart

#endif
