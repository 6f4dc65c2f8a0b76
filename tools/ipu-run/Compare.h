// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparing an output with what was expected.

#ifndef POPULUS_TOOLS_IPU_RUN_COMPARE_H
#define POPULUS_TOOLS_IPU_RUN_COMPARE_H

#include "HostTensor.h"

#include <string>

namespace populus::run {

struct Tolerance {
  double relative = 1e-4;
  double absolute = 1e-6;
};

struct Comparison {
  bool matches = false;
  /// One line: how many elements differ, and where it is worst.
  std::string text;
  std::uint64_t elements = 0, different = 0;
  /// The element that is farthest outside of its tolerance; there is none if
  /// all are equal.
  std::string place;
  double actual = 0, expected = 0;
};

/// An element matches if |actual - expected| <= absolute + relative *
/// |expected|, or both are NaN. Shapes may differ in dimensions of one.
Comparison compare(const HostTensor &actual, const HostTensor &expected,
                   const Tolerance &tolerance);

} // namespace populus::run

#endif
