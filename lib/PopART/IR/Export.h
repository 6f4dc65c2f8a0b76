// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IR for other programs: as a drawing in the DOT language and as JSON.

#ifndef POPULUS_LIB_POPART_IR_EXPORT_H
#define POPULUS_LIB_POPART_IR_EXPORT_H

#include "lib/PopART/IR/Graph.h"

namespace populus::popir {

/// What of a graph is drawn.
struct DotStyle {
  /// Places of operators in the order.
  std::size_t first = 0, last = static_cast<std::size_t>(-1);
  /// Operators have their names.
  bool names = false;
};

/// A digraph: boxes are operators, with their place in the order, eggs are
/// tensors with types and shapes. Graphs that are called come first.
std::string toDot(const Graph &graph, const DotStyle &style = {});

/// One object: the graph's name, or `maingraph`, with the list of its operators
/// in order, each with type, name, inputs, outputs, and attributes, as PopART
/// writes them: all values of attributes are texts, and operators that
/// overwrite an operand have types of their own, such as ReluInplace.
std::string toJson(const Graph &graph);

} // namespace populus::popir

#endif
