// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of lowerings of collective operators, and groups and operators for
// GCL.

#ifndef POPULUS_INCLUDE_POPART_POPX_OP_COLLECTIVES_COLLECTIVESX_HPP
#define POPULUS_INCLUDE_POPART_POPX_OP_COLLECTIVES_COLLECTIVESX_HPP

#include <popart/commgroup.hpp>
#include <popart/popx/popopx.hpp>
#include <popart/replicagrouping.hpp>

#include <gcl/CollectiveOperator.hpp>
#include <gcl/CommGroup.hpp>

namespace popart {
namespace popx {

gcl::CollectiveOperator toGclCollectiveOperator(CollectiveOperator op);
gcl::CommGroup toGclCommGroup(const ReplicaGrouping &grouping);
/// A group None has no counterpart and is an error.
gcl::CommGroup toGclCommGroup(const CommGroup &group);

class CollectivesBaseOpx : public PopOpx {
public:
  using PopOpx::PopOpx;
};

} // namespace popx
} // namespace popart

#endif
