// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape rules that several operators share: axes that count from the end,
// NumPy broadcasting, row-major index arithmetic.

#ifndef POPULUS_LIB_POPART_OPS_SHAPE_SHAPES_H
#define POPULUS_LIB_POPART_OPS_SHAPE_SHAPES_H

#include "lib/PopART/IR/Op.h"

namespace populus::popir {

/// An Error where input 0 is not floating point.
void checkFloat(const Op &op);

/// An Error where two of the inputs [begin, end), those of them that are there,
/// differ in their types. libonnx compares those of ONNX's own operators, but
/// of any number of operands only the first.
void checkSameTypes(const Op &op, std::size_t begin, std::size_t end);

/// An axis in [-rank, rank) as one in [0, rank); else an Error. `extra` is 1
/// where the end of the shape is an axis too (Flatten).
std::int64_t normalAxis(const Op &op, std::int64_t axis, std::int64_t rank,
                        std::int64_t extra = 0);

/// The same for a list, which may not name an axis twice; sorted.
std::vector<std::int64_t> normalAxes(const Op &op,
                                     const std::vector<std::int64_t> &axes,
                                     std::int64_t rank);

/// The axes of Squeeze, Unsqueeze and the like: an attribute until opset 12, an
/// input from 13 on. Nothing where they are absent.
std::optional<std::vector<std::int64_t>> axesOf(const Op &op);

/// The common shape of NumPy's rules; an Error of `op` where there is none.
Shape broadcastShape(const Op &op, const Shape &a, const Shape &b);

/// The product of the extents in [begin, end).
std::int64_t product(const Shape &shape, std::size_t begin, std::size_t end);

/// For each dimension, how far apart two neighbours lie in row-major order.
std::vector<std::int64_t> strides(const Shape &shape);

} // namespace populus::popir

#endif
