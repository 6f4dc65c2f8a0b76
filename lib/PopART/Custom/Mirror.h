// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph of the compiler as patterns and transforms of programs see it: each
// operator has a stand-in, connected as it is. What they change there is then
// done to the compiler's graph: operators that are new are added, those that
// are gone removed, operands connected anew.

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
  /// Does to the compiler's graph what was done to this one. An Error where
  /// that leaves no graph that makes sense; `who` made the changes.
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
  /// The compiler's operators, by the number of their stand-in.
  std::map<popart::OpId, Op *> known;
  /// Values that were put in the place of others, which have the name.
  std::map<std::string, Value *> replaced;
};

} // namespace populus::popir

#endif
