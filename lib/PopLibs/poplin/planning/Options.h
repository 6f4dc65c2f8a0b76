// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of products and convolutions. All published keys and values are
// accepted and checked; those that influence plans here are in the structure.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_OPTIONS_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_OPTIONS_H

#include <poplar/OptionFlags.hpp>
#include <poplar/Type.hpp>

namespace poplin {

struct Options {
  /// The share of a tile's memory that temporary data may use.
  double availableMemoryProportion = 0.6;
  /// Allow half sums of products of halves.
  bool halfSums = false;
  /// The weights never change, so tiles may keep copies of them.
  bool constantWeights = false;
};

/// These throw poplar::invalid_option. Results in float have sums in float.
Options parseMatMulOptions(const poplar::OptionFlags &options,
                           const poplar::Type &resultType = poplar::FLOAT);
Options parseConvOptions(const poplar::OptionFlags &options,
                         const poplar::Type &resultType = poplar::FLOAT);

} // namespace poplin

#endif
