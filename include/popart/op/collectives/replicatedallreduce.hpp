// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator ReplicatedAllReduce.

#ifndef POPULUS_INCLUDE_POPART_OP_COLLECTIVES_REPLICATEDALLREDUCE_HPP
#define POPULUS_INCLUDE_POPART_OP_COLLECTIVES_REPLICATEDALLREDUCE_HPP

#include <popart/op/collectives/collectives.hpp>

namespace popart {

class ReplicatedAllReduceOp : public CollectivesBaseOp {
public:
  POPULUS_BUILTIN_OP(ReplicatedAllReduceOp, CollectivesBaseOp, "ai.graphcore",
                     "ReplicatedAllReduce")
  ReplicatedAllReduceOp(const OperatorIdentifier &opid, CollectiveOperator op,
                        const ReplicaGrouping &grouping,
                        const Op::Settings &settings)
      : CollectivesBaseOp("ai.graphcore", "ReplicatedAllReduce", opid, settings,
                          attributesOf(grouping, op)) {}

  CollectiveOperator getCollectiveOp() const {
    return static_cast<CollectiveOperator>(number("__collectiveOperator", 0));
  }
};

} // namespace popart

#endif
