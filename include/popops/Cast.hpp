// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of a tensor's elements to another type. Numbers become integers by
// truncation, and BOOL converts to 0 or 1. Conversion to QUARTER rounds to
// nearest with the metadata of the destination; a value too large becomes the
// largest quarter.

#ifndef POPULUS_POPOPS_CAST_HPP
#define POPULUS_POPOPS_CAST_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src,
                    const poplar::Type &dstType,
                    poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});
/// Returns a result with this metadata. Types other than QUARTER have no
/// metadata: pass a default-constructed or an empty tensor.
poplar::Tensor cast(poplar::Graph &graph, const poplar::Tensor &src,
                    const poplar::Type &dstType, const poplar::Tensor &metadata,
                    poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});
poplar::program::Program cast(poplar::Graph &graph, poplar::Tensor src,
                              poplar::Tensor dst,
                              const poplar::DebugContext &debugContext = {});
/// Adds the vertices to \p cs instead of adding a program.
void cast(poplar::Graph &graph, poplar::Tensor src, poplar::Tensor dst,
          poplar::ComputeSet cs);
poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src,
                    const poplar::Type &dstType, poplar::ComputeSet cs,
                    const poplar::DebugContext &debugContext = {});
poplar::Tensor cast(poplar::Graph &graph, poplar::Tensor src,
                    const poplar::Type &dstType, const poplar::Tensor &metadata,
                    poplar::ComputeSet cs,
                    const poplar::DebugContext &debugContext = {});
void castWithOutput(poplar::Graph &graph, const poplar::Tensor &src,
                    const poplar::Tensor &dst, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});

/// Returns a BOOL scalar that is true if casting to \p outputType changes no
/// element of \p input by more than \p tolerance times its magnitude.
poplar::Tensor
checkAccuracyWhenCast(poplar::Graph &graph, const poplar::Tensor &input,
                      const poplar::Type &outputType, double tolerance,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
