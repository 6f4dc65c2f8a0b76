// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a PrintTensor step, exactly as the user guide shows it:
//   v1: {1,1.5,2,2.5}
// and, for more dimensions, the innermost ones in a line of their own.

#ifndef POPULUS_RUNTIME_SESSION_PRINTTENSOR_H
#define POPULUS_RUNTIME_SESSION_PRINTTENSOR_H

#include "runtime/Target/ElementType.h"

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

namespace populus::runtime {

/// Writes "title: values\n"; `data` holds the elements in order.
void printTensor(std::ostream &out, std::string_view title, ElementType type,
                 std::span<const std::uint64_t> shape, const void *data);

/// Writes one element as a number (a bool as 0 or 1).
void printElement(std::ostream &out, ElementType type, const void *element);

} // namespace populus::runtime

#endif
