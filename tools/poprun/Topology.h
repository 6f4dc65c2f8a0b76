// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of --print-topology.

#ifndef POPULUS_TOOLS_POPRUN_TOPOLOGY_H
#define POPULUS_TOOLS_POPRUN_TOPOLOGY_H

#include "Options.h"

#include <string>

namespace populus::poprun {

/// A row each for machines, IPU-Link domains, instances and replicas; what
/// belongs to a machine or instance is below it.
std::string topologyOf(const Options &options);

} // namespace populus::poprun

#endif
