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

// Elements of type QUARTER are not supported yet: each of these throws
// not_supported_error.

Tensor createConstantMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
Tensor createVariableMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext = {});
Tensor createVariableMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format,
                                    const Tensor &scale,
                                    program::Sequence &prog,
                                    const DebugContext &debugContext = {});
void setMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                       const Tensor &scale, const Tensor &metadata,
                       program::Sequence &prog,
                       const DebugContext &debugContext = {});

} // namespace poplar

#endif
