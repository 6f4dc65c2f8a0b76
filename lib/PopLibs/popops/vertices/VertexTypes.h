// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of elementwise operations and the names of their vertices.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_VERTICES_VERTEXTYPES_H
#define POPULUS_LIB_POPLIBS_POPOPS_VERTICES_VERTEXTYPES_H

#include <poplar/Type.hpp>
#include <popops/ExprOp.hpp>

#include <string>

namespace popops {

/// Type of a result's elements: BOOL for comparisons and tests.
poplar::Type resultType(expr::UnaryOpType op, const poplar::Type &type);
poplar::Type resultType(expr::BinaryOpType op, const poplar::Type &type);

// C++ spellings of operations and types.
std::string spell(const poplar::Type &type);
std::string spell(expr::UnaryOpType op);
std::string spell(expr::BinaryOpType op);

/// Names of the vertex types that write to a separate output.
std::string unaryVertex(expr::UnaryOpType op, const poplar::Type &type);
std::string binaryVertex(expr::BinaryOpType op, const poplar::Type &type);

} // namespace popops

#endif
