// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Size and stride of a CommGroup, and the options of collectives.

#ifndef POPULUS_LIB_POPLIBS_GCL_GROUPS_H
#define POPULUS_LIB_POPLIBS_GCL_GROUPS_H

#include "lib/PopLibs/popops/movement/ReplicaGroups.h"

#include <gcl/CommGroup.hpp>

#include <poplar/OptionFlags.hpp>

namespace gcl {

popops::ReplicaGroups groupsOf(poplar::Graph &graph, const CommGroup &group,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext,
                               const popops::CollectiveOptions &options);

/// Throws poplar::invalid_option for an unknown option or value.
popops::CollectiveOptions parseOptions(const poplar::OptionFlags &options);

} // namespace gcl

#endif
