// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a module that stay float32 when the rest becomes float16: the
// operators, and what graphs that are called get and return. An index that a
// loop carries is one such part: `%i` in
//   graph body(%n: int32 scalar, %i: float scalar) {
//     %next: float scalar = Add-14(%i, %one) {}
//     return next = %next: float scalar
//   }
// where the loop's result is the operand of a Gather's indices.
//
// The beginning of a deep convolutional network stays in float32: what is
// rounded there goes through all the layers that follow, each of which may
// enlarge the error, while what is rounded in the last layers is hardly
// noticed (docs/performance.md has the figures). So do indices and coordinates,
// which halves hold only up to 2048, and what an operator changes in place.

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
  /// `floatConvolutions` convolutions at the beginning of a graph that nobody
  /// calls stay float32; without a number, a third of them.
  FloatParts(Module &module, std::optional<std::size_t> floatConvolutions);

  bool isCalled(const Graph &graph) const { return sites.contains(&graph); }

  /// The first operator of a graph that may be float16; null: there is none.
  Op *firstHalf(const Graph &graph) const;

  /// Whether an operator reads an operand as float32, if that is a float.
  bool readsFloat(const Op &op, std::size_t operand) const;
  /// The same of a result that a graph returns to those that call it.
  bool returnsFloat(const Graph &graph, std::size_t result) const {
    return floatResults.contains({&graph, result});
  }

  /// Whether what an operator computes, or a called graph gets, is float32.
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
  /// Those of floatOps whose operands are float32, too.
  std::unordered_set<const Op *> exactOps;
  std::unordered_set<const Value *> floatArguments;
  std::set<std::pair<const Graph *, std::size_t>> floatResults;
  /// Operators whose operands are still to be looked at.
  std::vector<const Op *> work;
};

} // namespace populus::popir

#endif
