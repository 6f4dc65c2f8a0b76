// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a value comes from, for messages that ask the user to make it known.

#ifndef POPULUS_LIB_POPART_IR_SOURCES_H
#define POPULUS_LIB_POPART_IR_SOURCES_H

#include "lib/PopART/IR/Graph.h"

#include <set>
#include <string>

namespace populus::popir {

/// The inputs of the graph that a tensor is computed from.
std::set<std::string> inputsBehind(const Value &tensor);

} // namespace populus::popir

#endif
