// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding modes and storage types of generic floating-point formats.

#ifndef POPULUS_POPFLOAT_EXPERIMENTAL_GFLOATEXPR_HPP
#define POPULUS_POPFLOAT_EXPERIMENTAL_GFLOATEXPR_HPP

namespace popfloat {
namespace experimental {

enum class RoundType {
  RZ, // towards zero
  RN, // to nearest, ties to even
  RA, // to nearest, ties away from zero
  RU, // up
  RD  // down
};

/// The type that holds values of a format; AUTO is HALF where that has them
/// all, else FLOAT.
enum class SpecType { AUTO, FP32, FP16 };

} // namespace experimental
} // namespace popfloat

#endif
