// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations that an elementwise expression can apply. Host code and
// codelets both include this file: a vertex is a template over one of these
// values, so the spelling here is the spelling in vertex names.

#ifndef POPULUS_POPOPS_EXPROP_HPP
#define POPULUS_POPOPS_EXPROP_HPP

namespace popops {
namespace expr {

enum class UnaryOpType {
#define UNARY_OP(OP, ...) OP,
#include <popops/UnaryOps.def>
};

enum class BinaryOpType {
#define BINARY_OP(OP, ...) OP,
#include <popops/BinaryOps.def>
};

enum class TernaryOpType { CLAMP, SELECT };

} // namespace expr
} // namespace popops

#endif
