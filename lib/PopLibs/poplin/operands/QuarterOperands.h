// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products and convolutions of quarters. What the bits of the operands say is
// exact in halves, so these are multiplied; sums are floats, and the product of
// the scales is applied to them before they are rounded to the result, which is
// HALF. Formats and scales may differ between the operands.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_OPERANDS_QUARTEROPERANDS_H
#define POPULUS_LIB_POPLIBS_POPLIN_OPERANDS_QUARTEROPERANDS_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplin {

class QuarterOperands {
public:
  /// Throws poplibs_error for other types of operands or result; \p function is
  /// for the message.
  QuarterOperands(poplar::Graph &graph, const poplar::Tensor &a,
                  const poplar::Tensor &b, const poplar::Type &outputType,
                  poplar::program::Sequence &prog, const char *function,
                  const poplar::DebugContext &debugContext);

  /// The operands as HALF, without their scales.
  poplar::Tensor a, b;

  /// The result of a FLOAT sum of products.
  poplar::Tensor scaled(const poplar::Tensor &sum) const;

private:
  poplar::Graph &graph;
  poplar::program::Sequence &prog;
  const poplar::DebugContext debugContext;
  poplar::Tensor scale;
};

} // namespace poplin

#endif
