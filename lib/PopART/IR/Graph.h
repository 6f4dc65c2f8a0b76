// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The PopART IR: a graph of operators (Op) that read and write tensors. A
// tensor has one producer at most; one without a producer is an input of the
// graph or a constant. Operators are kept in an order in which they can run.
// Shapes are always static, for tile programs are planned ahead.

#ifndef POPULUS_LIB_POPART_IR_GRAPH_H
#define POPULUS_LIB_POPART_IR_GRAPH_H

#include "lib/PopART/IR/HostTensor.h"

#include <functional>
#include <memory>
#include <unordered_map>

namespace popart {

class Op;

struct Tensor {
  std::string name;
  TensorInfo info;
  /// The value, where the compiler knows it.
  std::shared_ptr<const HostTensor> value;
  Op *producer = nullptr;
  /// One entry for each use: an operator that reads the tensor twice is listed
  /// twice.
  std::vector<Op *> consumers;

  bool isConstant() const { return value != nullptr; }
};

/// A result for the host. Its name stays when a transform lets another tensor
/// provide the value.
struct GraphOutput {
  std::string name;
  Tensor *tensor = nullptr;
};

class Graph {
public:
  explicit Graph(std::string name);
  ~Graph();
  Graph(Graph &&) noexcept;
  Graph &operator=(Graph &&) noexcept;

  std::string name;
  std::vector<Tensor *> inputs;
  std::vector<GraphOutput> outputs;

  /// Adds a tensor. The name must be new.
  Tensor &addTensor(const std::string &name, TensorInfo info = {});
  Tensor &addConstant(const std::string &name, HostTensor value);
  /// A name that no tensor has yet, `stem` itself if it is free.
  std::string uniqueName(const std::string &stem) const;
  /// Null where there is none of that name.
  Tensor *findTensor(const std::string &name) const;

  /// Adds an operator after all others. Inputs that the model leaves out are
  /// null.
  Op &addOp(std::unique_ptr<Op> op, std::vector<Tensor *> inputs,
            std::vector<Tensor *> outputs);
  /// The same before the operator at `position`. Outputs that another operator
  /// computed are from then on this one's.
  Op &insertOp(std::size_t position, std::unique_ptr<Op> op,
               std::vector<Tensor *> inputs, std::vector<Tensor *> outputs);
  const std::vector<std::unique_ptr<Op>> &ops() const { return opList; }

  /// Lets all users of `from`, the graph's outputs too, use `to`.
  void replaceUses(Tensor &from, Tensor &to);
  void replaceInput(Op &op, std::size_t index, Tensor *to);
  /// Makes `tensor` a constant; its producer no longer writes it.
  void makeConstant(Tensor &tensor, std::shared_ptr<const HostTensor> value);
  /// Removes the operators for which `isDead` holds, and their outputs, which
  /// must be unused.
  std::size_t removeOps(const std::function<bool(const Op &)> &isDead);
  /// Removes constants that nothing uses.
  std::size_t removeUnusedConstants();

  bool isOutput(const Tensor &tensor) const;
  const std::unordered_map<std::string, std::unique_ptr<Tensor>> &
  tensors() const {
    return tensorMap;
  }

private:
  void detach(Op &op);
  static void takeOutput(Tensor &tensor);

  std::unordered_map<std::string, std::unique_ptr<Tensor>> tensorMap;
  std::vector<std::unique_ptr<Op>> opList;
};

/// The graphs that operators of `graph` call, each once, in the order of their
/// first calls.
std::vector<const Graph *> calleesOf(const Graph &graph);

/// The graph as text, one operator a line, after those that it calls.
std::string toString(const Graph &graph);

} // namespace popart

#endif
