// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traffic matrix: bytes between groups of tiles. Tiles are grouped so that the
// matrix of any machine fits on a page.

#ifndef POPULUS_LIB_PROFILE_EXCHANGEMATRIX_H
#define POPULUS_LIB_PROFILE_EXCHANGEMATRIX_H

#include "lib/Profile/Report.pb.h"
#include "runtime/Format/Executable.h"

#include <cstdint>
#include <span>

namespace populus::profile {

/// Sets the report's matrix. `times`: how often each exchange was executed;
/// empty: once each.
void addMatrix(report::Report &report, const runtime::Executable &executable,
               std::span<const std::uint64_t> times);

} // namespace populus::profile

#endif
