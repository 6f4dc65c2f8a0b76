// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor as an operator of a program sees it: name, type and shape.

#ifndef POPULUS_INCLUDE_POPART_TENSOR_HPP
#define POPULUS_INCLUDE_POPART_TENSOR_HPP

#include <popart/names.hpp>
#include <popart/tensordata.hpp>
#include <popart/tensorinfo.hpp>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace popart {

class Op;
class Graph;
class Tensor;

/// The operators of the graph that read a tensor.
class Consumers {
public:
  explicit Consumers(const Tensor &tensor) : tensor(tensor) {}
  std::vector<Op *> getOps() const;
  /// Number of times that \p op reads the tensor.
  int n(const Op *op) const;
  int getTotal() const;

private:
  const Tensor &tensor;
};

enum class TensorType { ActGrad = 0, Const, Stream, Unknown, Variable, N };

/// "ActGrad", "Const" and so on.
std::ostream &operator<<(std::ostream &out, TensorType type);

class Tensor {
public:
  Tensor(const TensorId &id, TensorType type, Graph &graph)
      : id(id), consumers(*this), type(type), graph(&graph) {}
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;

  TensorId id;
  TensorInfo info;
  Consumers consumers;

  std::string str() const { return id; }
  TensorType tensorType() const { return type; }
  const Graph &getGraph() const { return *graph; }
  void setTensorType(TensorType newType) { type = newType; }

  bool hasProducer() const { return producer != nullptr; }
  Op *getProducer() const { return producer; }
  Op *getProducerUnsafe() const { return producer; }
  void setProducer(Op *op) { producer = op; }
  void resetProducer(Op *op) { producer = op; }
  Graph &getGraph() { return *graph; }
  /// Returns true if an operator writes the tensor in place.
  bool isModified() const;
  /// Returns true if a step returns the tensor.
  bool isAnchored() const { return anchored; }
  void setAnchored() { anchored = true; }

  /// Returns true if the elements are known at compile time.
  bool hasTensorData() const { return data != nullptr; }
  TensorData *tensorData();
  const TensorData *tensorData() const;
  const TensorData *getDataViaGraphTraversal() const { return tensorData(); }
  void setTensorData(const TensorInfo &newInfo, const void *elements);

private:
  TensorType type;
  Graph *graph;
  Op *producer = nullptr;
  bool anchored = false;
  std::shared_ptr<TensorData> data;
};

} // namespace popart

#endif
