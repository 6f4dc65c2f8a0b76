// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the equation of an Einsum, "ij,jk->ik", given the shapes of its
// operands; for the operator, and for the import of other forms.

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

/// Reports an invalid operator; does not return.
using Refuse = std::function<void(const std::string &)>;

EinsumEquation readEquation(std::string text, const std::vector<Shape> &shapes,
                            const Refuse &refuse);

/// The extent of each label; an operand's extent of 1 broadcasts.
std::map<char, std::int64_t> extentsOf(const EinsumEquation &equation,
                                       const std::vector<Shape> &shapes,
                                       const Refuse &refuse);

} // namespace populus::popir

#endif
