// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The distributions that vertices draw from; the spelling here is the spelling
// in vertex names.

#ifndef POPULUS_LIB_POPLIBS_POPRAND_CODELETS_DISTRIBUTION_H
#define POPULUS_LIB_POPLIBS_POPRAND_CODELETS_DISTRIBUTION_H

namespace poprand {

enum class Distribution {
  /// From [a, b).
  UNIFORM,
  /// exp of [a, b).
  LOG_UNIFORM,
  /// Mean a, standard deviation b.
  NORMAL,
  /// The same within c standard deviations.
  TRUNCATED_NORMAL,
  /// a with probability b, else 0.
  CHOICE
};

} // namespace poprand

#endif
