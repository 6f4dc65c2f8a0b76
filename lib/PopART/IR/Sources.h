// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces a value back to the graph's inputs, for messages that ask the user to
// fix their values.

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
