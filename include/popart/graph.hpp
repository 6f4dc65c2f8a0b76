// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph that an operator of a program belongs to. The graphs themselves are
// those of the compiler; this one has the tensors that its operators see.

#ifndef POPULUS_INCLUDE_POPART_GRAPH_HPP
#define POPULUS_INCLUDE_POPART_GRAPH_HPP

#include <popart/debugcontext.hpp>
#include <popart/ir.hpp>
#include <popart/names.hpp>
#include <popart/scope.hpp>
#include <popart/tensor.hpp>

#include <map>
#include <memory>
#include <string>

namespace popart {

class Graph {
public:
  explicit Graph(Ir &ir) : ir(ir) {}
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  Ir &getIr() { return ir; }
  const Ir &getIr() const { return ir; }
  Scope getScope() const { return Scope(); }

  /// The tensor of that name, made new where there is none.
  Tensor &tensor(const TensorId &id, TensorType type = TensorType::ActGrad);
  /// Null where there is none.
  Tensor *find(const TensorId &id) const;

private:
  Ir &ir;
  std::map<TensorId, std::unique_ptr<Tensor>> tensors;
};

} // namespace popart

#endif
