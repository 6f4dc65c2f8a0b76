// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact products of matrices of small integers, for the operators of ONNX that
// are such products and for those of ONNX Runtime's quantizer.

#ifndef POPULUS_LIB_POPART_IMPORT_DECOMPOSITIONS_INTEGERPRODUCTS_H
#define POPULUS_LIB_POPART_IMPORT_DECOMPOSITIONS_INTEGERPRODUCTS_H

#include "lib/PopART/Import/Decomposition.h"

namespace populus::popir {

/// A matrix of integers with its zero point taken away, as floats.
struct Operand {
  Value *value;
  /// No element is larger.
  double most;
};

/// `zero` is lined up with the matrix, or null.
Operand withoutZeroPoint(Expansion &e, Value &x, Value *zero);

/// A zero point or scale of a matrix: for all of it, or for its columns. Null
/// where the node has none.
Value *forColumns(Expansion &e, std::size_t index);

/// The product in int32.
Value &integerMatMul(Expansion &e, const Operand &a, const Operand &b);

/// Sums in int32 as integers of the type of the zero point, which is an input:
/// scaled, rounded to the nearest, ties to even, and held to its range.
Value &requantized(Expansion &e, Value &sums, Value &scale,
                   std::size_t zeroPoint);

} // namespace populus::popir

#endif
