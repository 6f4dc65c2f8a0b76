// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of the operators that run other graphs of the module: Call, Loop and
// If. What is called sees copies of the operands, so that nothing it does to
// its arguments is seen outside. Operands that the attribute `modified` lists
// are passed by reference: what the graph leaves in the memory of such an
// argument is copied back.

#ifndef POPULUS_LIB_POPART_OPS_CONTROL_CALLINGOP_H
#define POPULUS_LIB_POPART_OPS_CONTROL_CALLINGOP_H

#include "lib/PopART/Lowering/DeviceOp.h"

namespace populus::popir {

struct CalledFunction;

/// The attribute that lists the operands that are passed by reference.
inline constexpr const char *ModifiedAttribute = "modified";

class CallingOp : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  OperandEffect effect(std::size_t operand) const override {
    return {true, modifies(operand)};
  }
  /// An operand that one of the graphs gets as an argument.
  struct Passed {
    std::size_t operand;
    Graph *graph;
    std::size_t argument;
  };
  virtual std::vector<Passed> passed() const = 0;
  /// The first result of its graphs that is a result of the operator; the
  /// others follow.
  virtual std::size_t firstResult() const { return 0; }
  /// Arguments that the graph gets from its own results when it runs again, so
  /// many from argument 1 on, from as many results from firstResult() on.
  virtual std::size_t numCarried() const { return 0; }

  bool hasEffect() const override;
  bool isStateful() const override;
  double codeValue() const override;

protected:
  /// `count` operands from `first` on, which a graph gets as arguments from
  /// `argument` on.
  struct Range {
    std::size_t first, argument, count;
  };

  bool modifies(std::size_t operand) const;
  /// Operands of a range, as arguments of one of the graphs.
  void addPassed(std::vector<Passed> &list, Range operands, Graph *graph) const;

  /// The graph that is called, of `count`; an Error where there are not as
  /// many.
  const Graph &callee(std::size_t index = 0, std::size_t count = 1) const;
  /// An Error unless a graph has as many arguments as it is called with.
  void checkCount(const Graph &callee, std::size_t given) const;
  /// An Error unless an argument of a graph is what it is called with.
  void checkArgument(const Graph &callee, std::size_t argument,
                     const TensorInfo &given) const;

  void copyIn(Lowering &lowering, const CalledFunction &function,
              Range operands) const;
  /// Copies operands that are passed by reference back.
  void copyBack(Lowering &lowering, const CalledFunction &function,
                Range operands) const;
};

/// An operator that calls graphs: "Call", "Loop" or "If".
std::unique_ptr<Op> makeCallingOp(const std::string &type,
                                  const std::string &name,
                                  std::vector<Graph *> callees,
                                  std::size_t numInputs, std::size_t numOutputs,
                                  Attributes attributes = {});

} // namespace populus::popir

#endif
