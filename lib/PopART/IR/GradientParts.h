// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups gradient operators as PopART's users see them. Here a gradient rule
// emits several ordinary operators; PopART shows a single one, such as
// ReluGrad, unless one of its patterns rewrites that operator, too.

#ifndef POPULUS_LIB_POPART_IR_GRADIENTPARTS_H
#define POPULUS_LIB_POPART_IR_GRADIENTPARTS_H

#include "lib/PopART/IR/Graph.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace populus::popir {

/// All operators that compute the gradient of one operator.
struct WholeGradient {
  std::string type, name;
  /// In the order of the graph.
  std::vector<const Op *> parts;
  /// Non-constant values from outside that the parts read, and values that
  /// operators outside read from the parts.
  std::vector<Value *> inputs, outputs;
};

class GradientParts {
public:
  /// `ops` are those of the graph and of its operators' bodies.
  GradientParts(const Graph &graph, const std::vector<const Op *> &ops);

  /// The gradient that contains the operator, or null.
  const WholeGradient *of(const Op &op) const;

private:
  std::vector<WholeGradient> wholes;
  std::unordered_map<const Op *, std::size_t> wholeOf;
};

} // namespace populus::popir

#endif
