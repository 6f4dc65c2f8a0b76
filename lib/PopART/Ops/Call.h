// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call: runs another graph, on its inputs and for its results. Several calls of
// one graph share its code. Models have none; outlining makes them.

#ifndef POPULUS_LIB_POPART_OPS_CALL_H
#define POPULUS_LIB_POPART_OPS_CALL_H

#include "lib/PopART/Lowering/DeviceOp.h"

namespace populus::popir {

/// A call of a graph of the module.
std::unique_ptr<Op> makeCall(const std::string &name, Graph &callee);

} // namespace populus::popir

#endif
