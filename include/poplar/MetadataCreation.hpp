// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that hold the format and scale of 8-bit floats.

#ifndef POPULUS_INCLUDE_POPLAR_METADATACREATION_HPP
#define POPULUS_INCLUDE_POPLAR_METADATACREATION_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

// Each function makes a tensor of one element of type QUARTER_METADATA on tile
// 0.

Tensor createConstantMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
/// Makes metadata whose format and scale are set when the program is loaded.
Tensor createVariableMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
/// Makes metadata whose scale is set at run time from a tensor of one INT.
Tensor createVariableMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format,
                                    const Tensor &scale,
                                    program::Sequence &prog,
                                    const DebugContext &debugContext = {});
/// Sets existing metadata.
void setMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                       const Tensor &scale, const Tensor &metadata,
                       program::Sequence &prog,
                       const DebugContext &debugContext = {});

} // namespace poplar

#endif
