// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Representation in memory of the vector fields of vertices, as cost models see
// it.

#ifndef POPULUS_INCLUDE_POPLAR_VECTORLAYOUT_HPP
#define POPULUS_INCLUDE_POPLAR_VECTORLAYOUT_HPP

namespace poplar {
namespace layout {

enum class Vector {
  NotAVector,
  Span,
  ShortSpan,
  OnePtr,
  ScaledPtr32,
  ScaledPtr64,
  ScaledPtr128,
};

enum class VectorList {
  NotAVector,
  OnePtr,
  ScaledPtr32,
  ScaledPtr64,
  ScaledPtr128,
  DeltaN,
  DeltaNElements,
};

} // namespace layout
} // namespace poplar

#endif
