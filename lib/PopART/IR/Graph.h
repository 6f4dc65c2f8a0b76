// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph of the IR: arguments, operators in execution order, results. Graphs
// communicate only by calls (operands bind to arguments, results are returned)
// and by the variables of the module. Every edit updates both ends of an edge,
// in constant time per edge. Shapes are always static, because tile programs
// are planned at compile time.

#ifndef POPULUS_LIB_POPART_IR_GRAPH_H
#define POPULUS_LIB_POPART_IR_GRAPH_H

#include "lib/PopART/IR/OpList.h"
#include "lib/PopART/IR/Value.h"

#include <functional>
#include <list>
#include <memory>
#include <unordered_map>

namespace populus::popir {

class Module;

/// A result of a graph. Its name stays when another value is returned.
struct GraphResult {
  std::string name;
  Value *value = nullptr;
};

class Graph {
public:
  Graph(Module &module, std::string name);
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  std::string name;
  Module &module() const { return *parent; }

  // ---- Values ---------------------------------------------------------------

  /// Adds a value without a producer; addOp makes it a result. The name must be
  /// new.
  Value &addValue(const std::string &name, TensorInfo info = {});
  Value &addArgument(const std::string &name, TensorInfo info);
  Value &addConstant(const std::string &name, HostTensor value);
  Value &addConstant(const std::string &name,
                     std::shared_ptr<const HostTensor> value);
  /// The value that stands for a variable of the module; one for each.
  Value &useVariable(Variable &variable);

  /// A name that no value has yet, `stem` itself if it is free.
  std::string uniqueName(const std::string &stem) const;
  /// Null where there is none of that name.
  Value *findValue(const std::string &name) const;
  void rename(Value &value, const std::string &name);

  /// All values, in the order in which they were added.
  const std::list<Value> &values() const { return valueList; }
  std::list<Value> &values() { return valueList; }

  const std::vector<Value *> &arguments() const { return argumentList; }
  /// Removes an unused argument.
  void removeArgument(std::size_t index);

  const std::vector<GraphResult> &results() const { return resultList; }
  void addResult(std::string name, Value &value);
  void setResult(std::size_t index, Value &value);
  void removeResult(std::size_t index);

  // ---- Operators ------------------------------------------------------------

  const OpList &ops() const { return opList; }

  /// Adds an operator in front of another one, or at the end. It takes over
  /// outputs that another operator computed so far.
  Op &addOp(std::unique_ptr<Op> op, std::vector<Value *> inputs,
            std::vector<Value *> outputs, Op *before = nullptr);
  void moveBefore(Op &op, Op *before) { opList.move(op, before); }
  /// Removes an operator and its results, which must be unused.
  void erase(Op &op);
  /// Removes the operators for which `isDead` holds, and their results, which
  /// nobody else may use.
  std::size_t removeOps(const std::function<bool(const Op &)> &isDead);

  /// Lets all users of `from`, the graph's results too, use `to`.
  void replaceUses(Value &from, Value &to);
  void setInput(Op &op, std::size_t index, Value *to);
  /// Adds a result to an operator, or takes an unused one away.
  void setOutput(Op &op, std::size_t index, Value *output);
  /// Makes `value` a constant. Its producer no longer computes it; it is no
  /// argument and stands for no variable any more.
  void makeConstant(Value &value, std::shared_ptr<const HostTensor> constant);
  /// Removes constants and variables' values that nothing uses.
  std::size_t removeUnusedValues();

  /// Adds a control dependence: `after` has to run behind `before`, which
  /// precedes it in the order.
  void addOrder(Op &before, Op &after);

  /// The graphs that its operators call, each once, in the order of their first
  /// calls.
  std::vector<Graph *> callees() const;

private:
  void addUse(Op &op, std::size_t operand);
  void removeUse(Op &op, std::size_t operand);
  void detach(Op &op);
  void eraseValue(Value &value);
  static void takeOutput(Value &value);

  Module *parent;
  std::list<Value> valueList;
  std::unordered_map<std::string, Value *> valueOfName;
  /// The next number to try for a stem.
  mutable std::unordered_map<std::string, std::uint64_t> nextNumber;
  std::unordered_map<const Variable *, Value *> variableValues;
  std::vector<Value *> argumentList;
  std::vector<GraphResult> resultList;
  OpList opList;
};

} // namespace populus::popir

#endif
