// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call: runs another graph, on its inputs and for its results. Several calls of
// one graph share its code. Models have none; outlining makes them.

#ifndef POPULUS_LIB_POPART_OPS_CALL_H
#define POPULUS_LIB_POPART_OPS_CALL_H

#include "lib/PopART/IR/Op.h"

namespace popart {

/// A call of `callee`, which the operator keeps.
std::unique_ptr<Op> makeCall(const std::string &name,
                             std::shared_ptr<const Graph> callee);

} // namespace popart

#endif
