// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to try where a program does not fit, from what costs least time when it
// runs to what costs most: less memory for temporary data of products, more
// that is computed again for gradients, more IPUs. What the user decided stays.
// Each choice is a compilation, so there are few: plans take little less memory
// and hardly more time if their share is half, so shares fall faster.

#ifndef POPULUS_LIB_POPART_FIT_H
#define POPULUS_LIB_POPART_FIT_H

#include "lib/PopART/Training/Recomputation.h"

#include <optional>
#include <string>
#include <vector>

namespace populus::popir {

/// Whether to search, and what may change.
struct FitOptions {
  bool searches = false;
  bool availableMemory = true, recomputation = true, numIpus = true;
};

/// How to compile a program otherwise; nothing: as it was asked for.
struct FitChoice {
  /// The share of a tile's memory for temporary data of products.
  std::optional<double> availableMemory;
  std::optional<Recomputation> recomputation;
  std::optional<unsigned> numIpus;

  /// As options of popart-compile.
  std::string text() const;
};

/// What to try, in this order, after the program that was asked for: one that
/// `trains` or not, for `numIpus`, and that needs the memory of `leastIpus` at
/// least.
std::vector<FitChoice> fitChoices(const FitOptions &options, bool trains,
                                  unsigned numIpus, unsigned leastIpus);

} // namespace populus::popir

#endif
