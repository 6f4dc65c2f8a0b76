// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole expression as the body of one vertex, so that intermediate results
// stay in registers and there is one compute set instead of one for each
// operation.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_FUSEDEXPRESSION_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_FUSEDEXPRESSION_H

#include <poplar/Graph.hpp>
#include <popops/Expr.hpp>

#include <optional>

namespace popops {

/// A tensor that the expression reads.
struct FusedOperand {
  enum Kind {
    Whole,    // an element for each of the result
    Single,   // one that serves for all
    Broadcast // elements that serve for several
  };
  poplar::Tensor tensor;
  Kind kind;
};

struct FusedExpression {
  /// Each tensor once.
  std::vector<FusedOperand> operands;
  /// Statements that compute `result` from x0, x1, ... (blocks of the operands)
  /// and k0, k1, ... (constants).
  std::string body;
  std::string result;
  /// Statements that make the constants.
  std::string constants;
  poplar::Type type;
  std::vector<std::size_t> shape;
  /// Elements in a block on the tile.
  unsigned blockSize = 1;
  /// Operations, and what they cost for a block, in bundles.
  unsigned operations = 0;
  unsigned bundles = 0;
};

/// The expression for a vertex of its own; nothing where there is no gain in
/// that or an operation has to be done by itself: there are less than two, or
/// too many; types that do not go into one vertex; an inner operation whose
/// result is smaller than that of the whole. Errors in the expression are for
/// others to report.
std::optional<FusedExpression>
fuseExpression(const poplar::Graph &graph, const expr::Expr &expr,
               const std::vector<poplar::Tensor> &tensors);

} // namespace popops

#endif
