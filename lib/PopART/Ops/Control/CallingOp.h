// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of operators that run other graphs of the module: Call, Loop and If.
// Operands are passed by value: the callee works on copies. Operands listed in
// the attribute `modified` are passed by reference: the argument is copied back
// after the call.

#ifndef POPULUS_LIB_POPART_OPS_CONTROL_CALLINGOP_H
#define POPULUS_LIB_POPART_OPS_CONTROL_CALLINGOP_H

#include "lib/PopART/Lowering/DeviceOp.h"

namespace populus::popir {

struct CalledFunction;

/// The attribute that lists operands passed by reference.
inline constexpr const char *ModifiedAttribute = "modified";

class CallingOp : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  OperandEffect effect(std::size_t operand) const override {
    return {true, modifies(operand)};
  }
  /// An operand passed to one of the graphs as an argument.
  struct Passed {
    std::size_t operand;
    Graph *graph;
    std::size_t argument;
  };
  virtual std::vector<Passed> passed() const = 0;
  /// The first result of a callee that is a result of the operator; all later
  /// ones are, too.
  virtual std::size_t firstResult() const { return 0; }
  /// The number of carried values: results from firstResult() on, which become
  /// arguments from 1 on when the graph runs again.
  virtual std::size_t numCarried() const { return 0; }

  bool hasEffect() const override;
  bool isStateful() const override;
  double codeValue() const override;

protected:
  /// `count` operands from `first` on, passed as arguments from `argument` on.
  struct Range {
    std::size_t first, argument, count;
  };

  bool modifies(std::size_t operand) const;
  /// Adds the operands of a range, as arguments of one of the graphs.
  void addPassed(std::vector<Passed> &list, Range operands, Graph *graph) const;

  /// Callee number `index`; throws an Error if there are not `count` callees.
  const Graph &callee(std::size_t index = 0, std::size_t count = 1) const;
  /// Throws an Error unless a callee has `given` arguments.
  void checkCount(const Graph &callee, std::size_t given) const;
  /// Throws an Error unless an argument has the operand's type and shape.
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
