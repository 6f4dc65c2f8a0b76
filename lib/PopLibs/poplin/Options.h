// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of products and convolutions. All published keys and values are
// accepted and checked; those that influence plans here are in the structure.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_OPTIONS_H
#define POPULUS_LIB_POPLIBS_POPLIN_OPTIONS_H

#include <poplar/OptionFlags.hpp>

namespace poplin {

struct Options {
  /// The share of a tile's memory that temporary data may use.
  double availableMemoryProportion = 0.6;
};

/// These throw poplar::invalid_option.
Options parseMatMulOptions(const poplar::OptionFlags &options);
Options parseConvOptions(const poplar::OptionFlags &options);

} // namespace poplin

#endif
