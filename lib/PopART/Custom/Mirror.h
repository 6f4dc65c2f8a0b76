// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of a compiler graph in the public interface, for custom patterns and
// transforms. Each operator has a proxy with the same edges. Changes to the
// copy are then applied to the compiler's graph: new operators are added,
// missing ones are removed, and operands are reconnected.

#ifndef POPULUS_LIB_POPART_CUSTOM_MIRROR_H
#define POPULUS_LIB_POPART_CUSTOM_MIRROR_H

#include "lib/PopART/IR/Graph.h"

#include <popart/op.hpp>

#include <set>
#include <string>

namespace populus::popir {

class Mirror {
public:
  /// Tensors that `anchors` names, and the graph's results, are anchored.
  Mirror(Graph &real, const std::set<std::string> &anchors);

  popart::Graph &graph() { return image; }
  /// Applies the changes to the compiler's graph. Throws an Error if the result
  /// is invalid; `who` made the changes.
  void writeBack(const std::string &who);

private:
  void add(Op &op);
  popart::Tensor &tensorOf(const Value &value);
  std::unique_ptr<popart::Op> standInOf(const Op &op,
                                        const popart::Op::Settings &settings);

  void connectResults(popart::Op &made, const std::vector<Value *> &values);
  void addToReal(popart::Op &made);
  void reconnect(popart::Op &standIn, Op &op);
  Value &valueOf(const popart::Tensor &tensor);
  void removeGone();

  Graph &real;
  std::set<std::string> anchors;
  popart::Ir ir;
  popart::Graph image;
  /// The compiler's operators, by the id of their proxy.
  std::map<popart::OpId, Op *> known;
  /// Replacements of values, by the name of the replaced value.
  std::map<std::string, Value *> replaced;
};

} // namespace populus::popir

#endif
