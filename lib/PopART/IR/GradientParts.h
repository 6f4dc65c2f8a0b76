// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operators are one for PopART's users. A rule makes a gradient of
// ordinary operators; users know one operator for it, such as ReluGrad, unless
// a pattern of PopART rewrites it, too.

#ifndef POPULUS_LIB_POPART_IR_GRADIENTPARTS_H
#define POPULUS_LIB_POPART_IR_GRADIENTPARTS_H

#include "lib/PopART/IR/Graph.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace populus::popir {

/// The gradient of one operator.
struct WholeGradient {
  std::string type, name;
  /// In the order of the graph.
  std::vector<const Op *> parts;
  /// What it reads that it does not make, without constants, and what others
  /// read of what it makes.
  std::vector<Value *> inputs, outputs;
};

class GradientParts {
public:
  /// `ops` are those of the graph and of its operators' bodies.
  GradientParts(const Graph &graph, const std::vector<const Op *> &ops);

  /// What the operator is a part of, or null.
  const WholeGradient *of(const Op &op) const;

private:
  std::vector<WholeGradient> wholes;
  std::unordered_map<const Op *, std::size_t> wholeOf;
};

} // namespace populus::popir

#endif
