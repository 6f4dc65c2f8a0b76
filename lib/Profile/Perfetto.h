// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trace for Perfetto of a report's executed steps and of host programs.

#ifndef POPULUS_LIB_PROFILE_PERFETTO_H
#define POPULUS_LIB_PROFILE_PERFETTO_H

#include "lib/Profile/HostTrace.h"
#include "lib/Profile/Report.pb.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace populus::profile {

/// Returns the bytes of a .pftrace file. Each domain is a process with tracks
/// of its steps, its layers and some tiles, and counters of busy tiles. The
/// host is a process with its runs and those of `hosts`. Empty `tiles` select
/// the busiest, the middle and the idlest tile. Throws std::runtime_error if
/// nothing was executed or a tile does not exist.
std::string makeTrace(const report::Report &report,
                      const std::vector<unsigned> &tiles,
                      const std::vector<HostTrace> &hosts = {});

/// The same of hosts only.
std::string makeTrace(const std::vector<HostTrace> &hosts);

} // namespace populus::profile

#endif
