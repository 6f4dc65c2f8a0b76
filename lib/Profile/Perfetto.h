// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report's window of executed steps, and what programs traced of themselves,
// as a trace for Perfetto.

#ifndef POPULUS_LIB_PROFILE_PERFETTO_H
#define POPULUS_LIB_PROFILE_PERFETTO_H

#include "lib/Profile/HostTrace.h"
#include "lib/Profile/Report.pb.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace populus::profile {

/// The bytes of a .pftrace file: a process for each domain with tracks of its
/// steps, its layers and some tiles, counters of the tiles at work, a process
/// for the host with its runs, and those of `hosts`. Empty `tiles`: the
/// busiest, the middle and the idlest one. Throws std::runtime_error where
/// nothing was executed, or there is no such tile.
std::string makeTrace(const report::Report &report,
                      const std::vector<unsigned> &tiles,
                      const std::vector<HostTrace> &hosts = {});

/// The same of hosts only.
std::string makeTrace(const std::vector<HostTrace> &hosts);

} // namespace populus::profile

#endif
