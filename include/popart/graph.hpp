// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph of an operator of a program. The compiler has its own graphs; this
// one has the tensors that the program's operators see. For patterns and
// transforms of programs it has stand-ins for all operators of the compiler's
// graph, which adopts their changes.

#ifndef POPULUS_INCLUDE_POPART_GRAPH_HPP
#define POPULUS_INCLUDE_POPART_GRAPH_HPP

#include <popart/debugcontext.hpp>
#include <popart/graphid.hpp>
#include <popart/ir.hpp>
#include <popart/names.hpp>
#include <popart/scope.hpp>
#include <popart/tensor.hpp>
#include <popart/tensors.hpp>
#include <popart/topocons.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace popart {

class Op;

class Graph {
public:
  explicit Graph(Ir &ir, const GraphId &id = GraphId::root());
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  Ir &getIr() { return ir; }
  const Ir &getIr() const { return ir; }
  Scope getScope() const { return Scope(); }
  const std::string &getGraphString() const { return id.str(); }
  const GraphId &getGraphId() const { return id; }

  /// Returns the tensor with that name, and creates it if it does not exist.
  Tensor &tensor(const TensorId &id, TensorType type = TensorType::ActGrad);
  /// Returns null if there is none.
  Tensor *find(const TensorId &id) const;
  /// Says how a tensor is found that operators name and the graph does not have
  /// yet. The function sets its type and elements.
  void setSource(std::function<void(Tensor &)> newSource) {
    source = std::move(newSource);
  }
  Tensors &getTensors() { return tensorAccess; }
  const Tensors &getTensors() const { return tensorAccess; }

  // ---- Inputs and outputs ---------------------------------------------------

  void addInput(const TensorId &id, const TensorInfo &info);
  const std::vector<TensorId> &getInputIds() const { return inputIds; }
  const TensorId &getInputId(InIndex index) const;
  /// The tensor must exist.
  void markAsOutput(const TensorId &id);
  const std::vector<TensorId> &getOutputIds() const { return outputIds; }
  const TensorId &getOutputId(OutIndex index) const;
  bool hasInputId(const TensorId &id) const;
  bool hasOutputId(const TensorId &id) const;

  // ---- Operators ------------------------------------------------------------

  /// Operators by number, in the order of their creation.
  const std::map<OpId, std::unique_ptr<Op>> &getOps() const { return ops; }
  std::map<OpId, std::unique_ptr<Op>> &getOps() { return ops; }
  /// Throws if there is no operator with that number.
  Op *getOp(OpId id) const;
  /// Returns the operators in topological order: each follows those whose
  /// results it reads, and those that the constraints put before it.
  std::vector<Op *> getOpSchedule() const;
  /// Adds an operator and returns its number.
  OpId moveIntoGraph(std::unique_ptr<Op> op);
  /// Removes an operator, which must not be connected.
  void eraseOp(OpId id);

  /// Creates an operator of the class OP.
  template <class OP, class... Args> OP *createOp(Args &&...args) {
    OP *op = new OP(std::forward<Args>(args)...);
    moveIntoGraph(std::unique_ptr<Op>(op));
    return op;
  }
  /// The same with operands and results by index. The tensors of `outputs` are
  /// created.
  template <class OP, class... Args>
  OP *createConnectedOp(const std::map<InIndex, TensorId> &inputs,
                        const std::map<OutIndex, TensorId> &outputs,
                        Args &&...args) {
    OP *op = createOp<OP>(std::forward<Args>(args)...);
    for (const auto &item : inputs)
      op->connectInTensor(item.first, item.second);
    for (const auto &item : outputs)
      op->createAndConnectOutTensor(item.first, item.second);
    op->setup();
    return op;
  }

  GraphId id;
  std::unique_ptr<TopoCons> topoCons;

private:
  friend class Tensors;

  Ir &ir;
  std::function<void(Tensor &)> source;
  std::vector<TensorId> inputIds, outputIds;
  std::map<TensorId, std::unique_ptr<Tensor>> tensors;
  Tensors tensorAccess;
  std::map<OpId, std::unique_ptr<Op>> ops;
  OpId nextOp = 0;
};

} // namespace popart

#endif
