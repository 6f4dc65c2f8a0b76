// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The equation of an Einsum, "ij,jk->ik", read beside the shapes of its
// operands: the operator of two operands and the import, which makes those of
// more, read it the same way.

#ifndef POPULUS_LIB_POPART_OPS_PRODUCTS_EINSUMEQUATION_H
#define POPULUS_LIB_POPART_OPS_PRODUCTS_EINSUMEQUATION_H

#include "lib/PopART/IR/DataType.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace populus::popir {

/// Labels are letters; an ellipsis becomes digits, the last dimension '0'.
struct EinsumEquation {
  std::vector<std::string> operands;
  std::string result;
};

/// Says that an operator is wrong; does not return.
using Refuse = std::function<void(const std::string &)>;

EinsumEquation readEquation(std::string text, const std::vector<Shape> &shapes,
                            const Refuse &refuse);

/// The extent of each label; an operand may have 1 in the place of another
/// extent.
std::map<char, std::int64_t> extentsOf(const EinsumEquation &equation,
                                       const std::vector<Shape> &shapes,
                                       const Refuse &refuse);

} // namespace populus::popir

#endif
