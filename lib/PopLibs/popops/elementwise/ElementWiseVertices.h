// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the vertices of one elementwise operation to the graph. Operands are
// views of any layout; the map functions (Map.cpp) evaluate expressions by
// calling these for each node.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_ELEMENTWISEVERTICES_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_ELEMENTWISEVERTICES_H

#include <poplar/Graph.hpp>
#include <popops/Expr.hpp>

namespace popops {

/// An operand: a tensor that is broadcast to the result's shape, or a constant.
struct Operand {
  poplar::Tensor tensor; // invalid for a constant
  double value = 0;
  poplar::Type type;

  bool isConstant() const { return !tensor.valid(); }
};

/// Computes out = op(in). \p out may equal \p in, but not overlap it otherwise.
void addUnaryOp(poplar::Graph &graph, expr::UnaryOpType op,
                const poplar::Tensor &in, const poplar::Tensor &out,
                poplar::ComputeSet cs);

/// Computes out = a op b. \p out may equal a's tensor, but not overlap the
/// operands otherwise. At most one operand is a constant.
void addBinaryOp(poplar::Graph &graph, expr::BinaryOpType op, const Operand &a,
                 const Operand &b, const poplar::Tensor &out,
                 poplar::ComputeSet cs,
                 const poplar::DebugContext &debugContext);

/// Computes out = condition ? a : b, with the same rules.
void addSelect(poplar::Graph &graph, const poplar::Tensor &a,
               const poplar::Tensor &b, const poplar::Tensor &condition,
               const poplar::Tensor &out, poplar::ComputeSet cs);

/// A constant tensor with an element on each tile, so that vertices anywhere
/// read it without an exchange.
poplar::Tensor addConstantOnTiles(poplar::Graph &graph,
                                  const poplar::Type &type, double value,
                                  const poplar::DebugContext &debugContext);

} // namespace popops

#endif
