// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of annotations: attributes on placement and execution of an
// operator, such as its IPU, which do not affect its results. A Builder adds
// them to nodes, ONNX files carry them, and the importer, sessions and lowering
// read them. All begin with two underscores, unlike ONNX's own attributes.

#ifndef POPULUS_LIB_POPART_IR_ANNOTATIONS_H
#define POPULUS_LIB_POPART_IR_ANNOTATIONS_H

#include <string>

namespace populus::popir::annotations {

inline constexpr const char *IpuNumber = "__ipu_number";
inline constexpr const char *PipelineStage = "__pipeline_stage";
inline constexpr const char *ExecutionPhase = "__execution_phase";
inline constexpr const char *PartialsType = "__partials_type";
inline constexpr const char *AvailableMemory = "__available_memory";
inline constexpr const char *Recompute = "__recompute_output_in_backward_pass";
inline constexpr const char *InplaceNames = "__inplace_op_names";
inline constexpr const char *InplacePriorities = "__inplace_op_priorities";
inline constexpr const char *ExcludedPatterns = "__exclude_patterns";
inline constexpr const char *SerialMode = "__serialize_matmul_mode";
inline constexpr const char *SerialFactor = "__serialize_matmul_factor";
inline constexpr const char *SerialPrecision = "__serialize_matmul_precision";
inline constexpr const char *ConvDithering = "__enable_conv_dithering";
/// 1: at ties and edges the gradient is PyTorch's (docs/training.md).
inline constexpr const char *TorchTies = "__torch_ties";
/// A builder's words for a group of replicas, CommGroupType and its size.
inline constexpr const char *CommGroupType = "__comm_group_type";
inline constexpr const char *CommGroupSize = "__comm_group_size";
/// The same as the compiler has it: members, and how far apart they are.
inline constexpr const char *GroupSize = "__group_size";
inline constexpr const char *GroupStride = "__group_stride";
inline constexpr const char *CollectiveOperator = "__collectiveOperator";

inline bool isAnnotation(const std::string &name) {
  return name.compare(0, 2, "__") == 0;
}

} // namespace populus::popir::annotations

#endif // POPULUS_LIB_POPART_IR_ANNOTATIONS_H
