// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensors of a graph, by name.

#ifndef POPULUS_INCLUDE_POPART_TENSORS_HPP
#define POPULUS_INCLUDE_POPART_TENSORS_HPP

#include <popart/debugcontext.hpp>
#include <popart/names.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorinfo.hpp>

#include <cstddef>
#include <vector>

namespace popart {

class Graph;

class Tensors {
public:
  explicit Tensors(Graph &graph) : graph(graph) {}

  /// Throws if there is no tensor with that name.
  Tensor *get(const TensorId &id) const;
  bool contains(const TensorId &id) const;
  std::vector<TensorId> getAllTensorIds() const;
  std::vector<TensorId> getIds(TensorType type) const;
  std::vector<Tensor *> getOfType(TensorType type) const;
  std::vector<Tensor *> getAll() const;
  /// Tensors that no operator computes.
  std::vector<TensorId> getNoProducerIds() const;
  std::size_t n() const { return getAllTensorIds().size(); }

  /// Add a tensor; an existing name is an error.
  void addActGrad(const TensorId &id, const DebugContext & = {});
  void addStream(const TensorId &id, const TensorInfo &info,
                 const DebugContext & = {});
  void addVarInit(const TensorId &id, const TensorInfo &info,
                  const void *elements, const DebugContext & = {});
  void addConstInit(const TensorId &id, const TensorInfo &info,
                    const void *elements, const DebugContext & = {});
  /// Removes a tensor that no operator computes or reads.
  void remove(const TensorId &id);

private:
  Tensor &add(const TensorId &id, TensorType type);

  Graph &graph;
};

} // namespace popart

#endif
