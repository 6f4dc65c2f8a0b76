// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact products of matrices of small integers, for operators of ONNX and of
// ONNX Runtime's quantizer.

#ifndef POPULUS_LIB_POPART_IMPORT_DECOMPOSITIONS_INTEGERPRODUCTS_H
#define POPULUS_LIB_POPART_IMPORT_DECOMPOSITIONS_INTEGERPRODUCTS_H

#include "lib/PopART/Import/Decomposition.h"

namespace populus::popir {

/// A matrix of integers minus its zero point, as floats.
struct Operand {
  Value *value;
  /// An upper bound of the elements' magnitude.
  double most;
};

/// Subtracts `zero`, which broadcasts to the matrix, or is null.
Operand withoutZeroPoint(Expansion &e, Value &x, Value *zero);

/// A zero point or scale of a matrix: a scalar, or one per column. Null if the
/// node has none.
Value *forColumns(Expansion &e, std::size_t index);

/// The product in int32.
Value &integerMatMul(Expansion &e, const Operand &a, const Operand &b);

/// Converts int32 sums to the type of the zero point, which is an input:
/// scales, rounds to nearest even, and saturates.
Value &requantized(Expansion &e, Value &sums, Value &scale,
                   std::size_t zeroPoint);

} // namespace populus::popir

#endif
