// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the parts of a module that stay float32 when the rest becomes
// float16: operators, and arguments and results of callees. Example: an index
// carried by a loop, such as `%i` in
//   graph body(%n: int32 scalar, %i: float scalar) {
//     %next: float scalar = Add-14(%i, %one) {}
//     return next = %next: float scalar
//   }
// if the loop's result is the indices operand of a Gather.
//
// The first layers of a deep convolutional network stay float32: each later
// layer may amplify their rounding errors, while rounding in the last layers
// hardly matters (docs/performance.md has the figures). Indices and coordinates
// stay float32, too, because float16 is exact only up to 2048, and so do
// tensors that an operator modifies in place.

#ifndef POPULUS_LIB_POPART_PASSES_FLOATPARTS_H
#define POPULUS_LIB_POPART_PASSES_FLOATPARTS_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Ops/Control/CallingOp.h"

#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace populus::popir {

class FloatParts {
public:
  /// The first `floatConvolutions` convolutions of a top-level graph stay
  /// float32; by default, the first third of them.
  FloatParts(Module &module, std::optional<std::size_t> floatConvolutions);

  bool isCalled(const Graph &graph) const { return sites.contains(&graph); }

  /// The first operator of a graph that may be float16, or null.
  Op *firstHalf(const Graph &graph) const;

  /// True if an operator needs a floating-point operand as float32.
  bool readsFloat(const Op &op, std::size_t operand) const;
  /// True if a result of a callee is returned as float32.
  bool returnsFloat(const Graph &graph, std::size_t result) const {
    return floatResults.contains({&graph, result});
  }

  /// True if the result of an operator, or the argument of a callee, is
  /// float32.
  bool isFloatResult(const Value &result) const;
  bool isFloatArgument(const Value &argument) const {
    return floatArguments.contains(&argument);
  }

private:
  struct Argument {
    const Graph *graph;
    std::size_t number;
  };

  void findSites(Module &module);
  void addBeginning(const Graph &graph);
  void addExact(const Op &op);
  void addWritten(const Op &op);
  void visit(const Value *value);
  void visitResult(const CallingOp &op, std::size_t result);
  void makeFloat(const Value &value);
  void makeArgumentFloat(const Value &argument);
  void makeResultFloat(const Graph &graph, std::size_t result);
  void finish();

  std::optional<std::size_t> floatConvolutions;
  /// By graph, the operators that call it.
  std::unordered_map<const Graph *, std::vector<const CallingOp *>> sites;
  std::unordered_map<const Value *, Argument> argumentOf;
  std::unordered_set<const Op *> floatOps;
  /// The subset of floatOps whose operands are float32, too.
  std::unordered_set<const Op *> exactOps;
  std::unordered_set<const Value *> floatArguments;
  std::set<std::pair<const Graph *, std::size_t>> floatResults;
  /// Worklist: operators whose operands are still to be visited.
  std::vector<const Op *> work;
};

} // namespace populus::popir

#endif
