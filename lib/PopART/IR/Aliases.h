// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a graph may share memory, as the operators say
// (Op::mayAlias): groups of values that are connected by views and by results
// that are computed in place.

#ifndef POPULUS_LIB_POPART_IR_ALIASES_H
#define POPULUS_LIB_POPART_IR_ALIASES_H

#include "lib/PopART/IR/Graph.h"

#include <unordered_map>

namespace populus::popir {

class Aliases {
public:
  explicit Aliases(const Graph &graph);

  /// The value that stands for the group of one.
  const Value *groupOf(const Value &value) const;
  bool mayAlias(const Value &a, const Value &b) const {
    return groupOf(a) == groupOf(b);
  }

private:
  void unite(const Value &a, const Value &b);

  /// A value of the same group, nearer to the one that stands for it.
  mutable std::unordered_map<const Value *, const Value *> parents;
};

/// Which operators write the memory of values, in the order of the graph.
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
