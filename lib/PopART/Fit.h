// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fallbacks for a program that does not fit, ordered by their cost at run time:
// less temporary memory for products, more recomputation for gradients, more
// IPUs. Options that the user set stay. Each choice costs a compilation, so
// there are few: halving the share of temporary memory changes plans little,
// so the share falls faster than that.

#ifndef POPULUS_LIB_POPART_FIT_H
#define POPULUS_LIB_POPART_FIT_H

#include "lib/PopART/Training/Recomputation.h"

#include <optional>
#include <string>
#include <vector>

namespace populus::popir {

/// Enables the search, and says which options it may change.
struct FitOptions {
  bool searches = false;
  bool availableMemory = true, recomputation = true, numIpus = true;
};

/// Options to change; an empty field keeps the user's option.
struct FitChoice {
  /// The share of a tile's memory for temporary data of products.
  std::optional<double> availableMemory;
  std::optional<Recomputation> recomputation;
  std::optional<unsigned> numIpus;

  /// The choice as options of popart-compile: "--num-ipus 2".
  std::string text() const;
};

/// The choices to try in order, after the user's options failed. `trains` and
/// `numIpus` describe the program; it needs at least the memory of `leastIpus`.
std::vector<FitChoice> fitChoices(const FitOptions &options, bool trains,
                                  unsigned numIpus, unsigned leastIpus);

} // namespace populus::popir

#endif
