// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a printed summary that shows which variables are live when.

#ifndef POPULUS_LIB_POPLAR_REPORT_LIVENESSSUMMARY_H
#define POPULUS_LIB_POPLAR_REPORT_LIVENESSSUMMARY_H

#include <poplar/ProfileValue.hpp>

#include <iosfwd>

namespace poplar::core {

/// Prints a note if the profile has no liveness.
void printLiveness(std::ostream &out, const ProfileValue &graphProfile);

} // namespace poplar::core

#endif
