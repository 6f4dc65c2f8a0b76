// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of a graph: what an operator computes, an argument of the graph, a
// constant, or a variable of the module that the graph reads or updates. A
// value knows its uses, so that passes can follow edges in both directions; a
// use is added and removed in constant time.

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

/// An operand of an operator. One that has the same value twice uses it twice.
struct Use {
  Op *user = nullptr;
  std::uint32_t operand = 0;
};

class Value {
public:
  enum class Kind { Argument, Constant, Variable, Result };

  /// What only graphs have, who alone make values.
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
  /// Which of the producer's results it is.
  std::size_t resultNumber() const { return numberOfResult; }

  /// Whether the compiler knows the value and may fold it.
  bool isConstant() const { return data != nullptr; }
  /// Null for what is not a constant.
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
  /// Whether the graph returns it.
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
