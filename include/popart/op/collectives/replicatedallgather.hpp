// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator ReplicatedAllGather.

#ifndef POPULUS_INCLUDE_POPART_OP_COLLECTIVES_REPLICATEDALLGATHER_HPP
#define POPULUS_INCLUDE_POPART_OP_COLLECTIVES_REPLICATEDALLGATHER_HPP

#include <popart/op/collectives/collectives.hpp>

namespace popart {

class ReplicatedAllGatherOp : public CollectivesBaseOp {
public:
  POPULUS_BUILTIN_OP(ReplicatedAllGatherOp, CollectivesBaseOp, "ai.graphcore",
                     "ReplicatedAllGather")
  ReplicatedAllGatherOp(const OperatorIdentifier &opid,
                        const ReplicaGrouping &grouping,
                        const Op::Settings &settings)
      : CollectivesBaseOp("ai.graphcore", "ReplicatedAllGather", opid, settings,
                          attributesOf(grouping)) {}
};

} // namespace popart

#endif
