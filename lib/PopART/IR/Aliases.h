// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alias analysis: groups of values of a graph that may share memory, because
// views or in-place results connect them (Op::mayAlias).

#ifndef POPULUS_LIB_POPART_IR_ALIASES_H
#define POPULUS_LIB_POPART_IR_ALIASES_H

#include "lib/PopART/IR/Graph.h"

#include <unordered_map>

namespace populus::popir {

class Aliases {
public:
  explicit Aliases(const Graph &graph);

  /// The representative of a value's group.
  const Value *groupOf(const Value &value) const;
  bool mayAlias(const Value &a, const Value &b) const {
    return groupOf(a) == groupOf(b);
  }

private:
  void unite(const Value &a, const Value &b);

  /// A value of the same group, nearer to the representative (union-find).
  mutable std::unordered_map<const Value *, const Value *> parents;
};

/// The operators that write the memory of each value, in the graph's order.
class Writers {
public:
  explicit Writers(const Graph &graph);
  const std::vector<const Op *> &of(const Value &value) const;

private:
  Aliases aliases;
  std::unordered_map<const Value *, std::vector<const Op *>> writersOf;
};

} // namespace populus::popir

#endif
