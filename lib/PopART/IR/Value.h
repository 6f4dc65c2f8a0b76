// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of a graph: a result of an operator, an argument of the graph, a
// constant, or a variable of the module that the graph reads or updates. Values
// keep lists of their uses, so that passes can follow edges in both directions;
// adding or removing a use takes constant time.

#ifndef POPULUS_LIB_POPART_IR_VALUE_H
#define POPULUS_LIB_POPART_IR_VALUE_H

#include "lib/PopART/IR/HostTensor.h"

#include <list>
#include <memory>
#include <string>
#include <vector>

namespace populus::popir {

class Graph;
class Op;
struct Variable;

/// An edge from a value to an operand. An operator with the same value as two
/// operands has two uses.
struct Use {
  Op *user = nullptr;
  std::uint32_t operand = 0;
};

class Value {
public:
  enum class Kind { Argument, Constant, Variable, Result };

  /// Passkey: only graphs can create values.
  class Key {
    friend class Graph;
    Key() = default;
  };
  Value(Key, std::string name) : name(std::move(name)) {}
  Value(const Value &) = delete;
  Value &operator=(const Value &) = delete;

  /// Unique in the graph; Graph::rename changes it.
  std::string name;
  TensorInfo info;

  Kind kind() const;
  bool isArgument() const { return kind() == Kind::Argument; }

  /// The operator that computes the value, or null.
  Op *producer() const { return producerOp; }
  /// Its index among the producer's results.
  std::size_t resultNumber() const { return numberOfResult; }

  /// True if the value is known at compile time and may be folded.
  bool isConstant() const { return data != nullptr; }
  /// Null if the value is not a constant.
  const std::shared_ptr<const HostTensor> &constant() const { return data; }

  /// The variable of the module that the value stands for, or null.
  Variable *variable() const { return moduleVariable; }

  /// In no particular order.
  const std::vector<Use> &uses() const { return useList; }
  bool isUsed() const { return !useList.empty() || isGraphResult(); }
  /// The operators that use it, each once, in the order of the graph.
  std::vector<Op *> users() const;
  /// The operator of the only use; null where the value is used several times
  /// or not at all, or is a result of the graph.
  Op *onlyUser() const {
    return useList.size() == 1 && !isGraphResult() ? useList[0].user : nullptr;
  }
  /// True if it is a result of the graph.
  bool isGraphResult() const { return numGraphResults != 0; }

private:
  friend class Graph;

  Op *producerOp = nullptr;
  std::size_t numberOfResult = 0;
  std::shared_ptr<const HostTensor> data;
  Variable *moduleVariable = nullptr;
  std::vector<Use> useList;
  std::size_t numGraphResults = 0;
  std::list<Value>::iterator self;
};

} // namespace populus::popir

#endif
