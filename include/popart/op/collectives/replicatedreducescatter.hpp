// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator ReplicatedReduceScatter.

#ifndef POPULUS_INCLUDE_POPART_OP_COLLECTIVES_REPLICATEDREDUCESCATTER_HPP
#define POPULUS_INCLUDE_POPART_OP_COLLECTIVES_REPLICATEDREDUCESCATTER_HPP

#include <popart/op/collectives/collectives.hpp>

namespace popart {

class ReplicatedReduceScatterOp : public CollectivesBaseOp {
public:
  POPULUS_BUILTIN_OP(ReplicatedReduceScatterOp, CollectivesBaseOp,
                     "ai.graphcore", "ReplicatedReduceScatter")
  ReplicatedReduceScatterOp(const OperatorIdentifier &opid,
                            CollectiveOperator op,
                            const ReplicaGrouping &grouping,
                            const Op::Settings &settings)
      : CollectivesBaseOp("ai.graphcore", "ReplicatedReduceScatter", opid,
                          settings, attributesOf(grouping, op)) {}

  CollectiveOperator getCollectiveOp() const {
    return static_cast<CollectiveOperator>(number("__collectiveOperator", 0));
  }
};

} // namespace popart

#endif
