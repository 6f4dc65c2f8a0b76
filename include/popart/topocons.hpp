// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Order of operators beyond that of their tensors. Graph::getOpSchedule()
// follows it; the compiler orders operators by their tensors and effects.

#ifndef POPULUS_INCLUDE_POPART_TOPOCONS_HPP
#define POPULUS_INCLUDE_POPART_TOPOCONS_HPP

#include <map>
#include <set>
#include <vector>

namespace popart {

class Op;

using OpsBeforeKey = std::map<Op *, std::vector<Op *>>;

class TopoCons {
public:
  /// \p before runs before \p after. A tie orders as other constraints do.
  void insert(Op *before, Op *after, bool tied = false) {
    befores[after].insert(before);
    afters[before].insert(after);
    if (tied)
      ties[before].insert(after);
  }
  /// Each operator with those that run before it.
  void insert(const OpsBeforeKey &constraints, bool tied = false) {
    for (const auto &item : constraints)
      for (Op *before : item.second)
        insert(before, item.first, tied);
  }
  /// Forgets all constraints of an operator.
  void remove(Op *op) {
    for (Op *before : getBefores(op))
      remove(before, op);
    for (Op *after : getAfters(op))
      remove(op, after);
  }
  void remove(Op *before, Op *after) {
    befores[after].erase(before);
    afters[before].erase(after);
    ties[before].erase(after);
  }
  /// Gives the constraints of one operator to another one.
  void transfer(Op *from, Op *to) {
    for (Op *before : getBefores(from))
      insert(before, to, isTied(before, from));
    for (Op *after : getAfters(from))
      insert(to, after, isTied(from, after));
    remove(from);
  }

  bool contains(Op *before, Op *after) const {
    return find(afters, before).count(after) != 0;
  }
  bool isTied(Op *before, Op *after) const {
    return find(ties, before).count(after) != 0;
  }
  std::vector<Op *> getBefores(Op *op) const { return list(befores, op); }
  std::vector<Op *> getAfters(Op *op) const { return list(afters, op); }
  std::vector<Op *> getTiedAfters(Op *op) const { return list(ties, op); }
  bool hasConstraint(Op *op) const {
    return !find(befores, op).empty() || !find(afters, op).empty();
  }

private:
  using Edges = std::map<Op *, std::set<Op *>>;
  static std::set<Op *> find(const Edges &edges, Op *op) {
    const Edges::const_iterator found = edges.find(op);
    return found == edges.end() ? std::set<Op *>() : found->second;
  }
  static std::vector<Op *> list(const Edges &edges, Op *op) {
    const std::set<Op *> found = find(edges, op);
    return std::vector<Op *>(found.begin(), found.end());
  }

  Edges befores, afters, ties;
};

} // namespace popart

#endif
