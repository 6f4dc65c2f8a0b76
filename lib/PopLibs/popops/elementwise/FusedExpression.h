// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fusion of a whole expression into one vertex. Intermediate results stay in
// registers, and there is one compute set instead of one for each operation.

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
  /// Number of operations, and their bundles for a block.
  unsigned operations = 0;
  unsigned bundles = 0;
};

/// Returns the fused expression, or nothing if fusion does not pay or is not
/// possible: there are fewer than two operations, or too many; the types do not
/// go into one vertex; or an inner operation has a smaller result than the
/// whole. Errors in the expression are reported elsewhere.
std::optional<FusedExpression>
fuseExpression(const poplar::Graph &graph, const expr::Expr &expr,
               const std::vector<poplar::Tensor> &tensors);

} // namespace popops

#endif
