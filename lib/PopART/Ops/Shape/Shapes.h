// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape rules that several operators share: axes that count from the end,
// NumPy broadcasting, row-major index arithmetic.

#ifndef POPULUS_LIB_POPART_OPS_SHAPE_SHAPES_H
#define POPULUS_LIB_POPART_OPS_SHAPE_SHAPES_H

#include "lib/PopART/IR/Op.h"

namespace populus::popir {

/// Throws an Error if input 0 is not floating point.
void checkFloat(const Op &op);

/// Throws an Error if two of the inputs [begin, end), ignoring omitted ones,
/// differ in type. libonnx checks ONNX's own operators, but only the first of
/// variadic operands.
void checkSameTypes(const Op &op, std::size_t begin, std::size_t end);

/// Normalises an axis from [-rank, rank) to [0, rank); throws an Error if it is
/// out of range. `extra` is 1 if axis = rank is valid, too (Flatten).
std::int64_t normalAxis(const Op &op, std::int64_t axis, std::int64_t rank,
                        std::int64_t extra = 0);

/// Normalises and sorts a list of axes, which must be distinct.
std::vector<std::int64_t> normalAxes(const Op &op,
                                     const std::vector<std::int64_t> &axes,
                                     std::int64_t rank);

/// The axes of Squeeze, Unsqueeze and similar: an attribute until opset 12, an
/// input from 13 on. Nothing if they are absent.
std::optional<std::vector<std::int64_t>> axesOf(const Op &op);

/// The shape by NumPy's broadcasting; throws an Error of `op` if there is none.
Shape broadcastShape(const Op &op, const Shape &a, const Shape &b);

/// The product of the extents in [begin, end).
std::int64_t product(const Shape &shape, std::size_t begin, std::size_t end);

/// Row-major strides, in elements.
std::vector<std::int64_t> strides(const Shape &shape);

} // namespace populus::popir

#endif
