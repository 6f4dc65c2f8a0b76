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

/// The format of printed numbers that a program asks for; a Print step has the
/// members as its values, in this order.
struct PrintFormat {
  std::int32_t summariseThreshold = 1000;
  std::int32_t edgeItems = 3;
  std::int32_t maxLineWidth = 75;
  std::int32_t digits = 8;
  std::int32_t floatFormat = 0; // 0 auto, 1 fixed, 2 scientific, 3 shortest
  std::int32_t separator = ' ';
  std::int32_t openBracket = '[';
  std::int32_t closeBracket = ']';
};

/// Prints a tensor in that format: large tensors shortened, long lines broken.
void printTensor(std::ostream &out, std::string_view title, ElementType type,
                 std::span<const std::uint64_t> shape, const void *data,
                 const PrintFormat &format);

/// Writes one element as a number (a bool as 0 or 1).
void printElement(std::ostream &out, ElementType type, const void *element);

} // namespace populus::runtime

#endif
