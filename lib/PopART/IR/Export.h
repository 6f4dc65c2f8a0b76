// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IR for other programs: as a drawing in the DOT language and as JSON.

#ifndef POPULUS_LIB_POPART_IR_EXPORT_H
#define POPULUS_LIB_POPART_IR_EXPORT_H

#include "lib/PopART/IR/Graph.h"

namespace populus::popir {

/// The part of a graph to draw.
struct DotStyle {
  /// First and last operator, counted in execution order.
  std::size_t first = 0, last = static_cast<std::size_t>(-1);
  /// Label operators with their names, too.
  bool names = false;
};

/// A DOT digraph: boxes are operators, with their position in the order; ovals
/// are tensors with types and shapes. Callees come before their callers.
std::string toDot(const Graph &graph, const DotStyle &style = {});

/// One JSON object in PopART's format: the graph's name, or `maingraph`, with
/// its operators in order, each with type, name, inputs, outputs, attributes.
/// Attribute values are strings; an operator that overwrites an operand has a
/// type of its own, such as ReluInplace.
std::string toJson(const Graph &graph);

} // namespace populus::popir

#endif
