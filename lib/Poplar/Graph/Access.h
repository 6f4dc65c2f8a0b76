// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Friend of all public classes: gives the parts of libpoplar access to the
// state of handles.

#ifndef POPULUS_LIB_POPLAR_GRAPH_ACCESS_H
#define POPULUS_LIB_POPLAR_GRAPH_ACCESS_H

#include "lib/Poplar/Graph/GraphImpl.h"

#include <poplar/Device.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>

#include <memory>
#include <utility>

namespace poplar::core {

class EngineImpl;

struct Access {
  /// Returns the view of a valid tensor. Throws for an invalid one.
  static const TensorView &view(const Tensor &tensor) {
    if (!tensor.view)
      throw poplar_error("a tensor is used that was never assigned; make it "
                         "with Graph::addVariable or from another tensor");
    if (!tensor.view->isGraphAlive())
      throw poplar_error("a tensor is used whose graph was destroyed");
    return *tensor.view;
  }
  /// The same for a tensor that must belong to this graph.
  static const TensorView &view(const GraphImpl &graph, const Tensor &tensor) {
    const TensorView &result = view(tensor);
    if (result.graph != &graph)
      throw poplar_error(tensor.getDebugStr() +
                         " is a tensor of another graph");
    return result;
  }
  static Tensor tensor(TensorView view) {
    return Tensor(std::make_shared<const TensorView>(std::move(view)));
  }

  static const std::shared_ptr<ProgramNode> &
  node(const program::Program &program) {
    return program.node;
  }

  static program::Program program(std::shared_ptr<ProgramNode> node) {
    return program::Program(program::Program::Node(std::move(node)));
  }

  static GraphImpl &impl(const Graph &graph) { return *graph.impl; }
  /// Identifies a graph, even after it is gone.
  static std::weak_ptr<const void> owner(const Graph &graph) {
    return graph.impl.shared();
  }
  static VertexRef vertex(GraphImpl &graph, std::uint32_t id) {
    return VertexRef(graph.life, id);
  }
  /// Returns the graph of a vertex or field; null if it is gone.
  template <typename Ref> static GraphImpl *graphOf(const Ref &ref) {
    return ref.life ? ref.life->graph.load() : nullptr;
  }
  static unsigned vertexOf(FieldRef field) { return field.vertex; }
  static unsigned fieldOf(FieldRef field) { return field.field; }

  static DataStream stream(std::shared_ptr<const StreamData> data) {
    DataStream stream;
    stream.data = std::move(data);
    return stream;
  }
  static const std::shared_ptr<const StreamData> &
  data(const DataStream &stream) {
    return stream.data;
  }

  static RemoteBuffer
  remoteBuffer(std::shared_ptr<const RemoteBufferData> data) {
    RemoteBuffer buffer;
    buffer.data = std::move(data);
    return buffer;
  }
  static const std::shared_ptr<const RemoteBufferData> &
  data(const RemoteBuffer &buffer) {
    return buffer.data;
  }

  static HostFunction
  hostFunction(std::shared_ptr<const HostFunctionData> data) {
    HostFunction function;
    function.data = std::move(data);
    return function;
  }
  static const std::shared_ptr<const HostFunctionData> &
  data(const HostFunction &function) {
    return function.data;
  }

  static Replication replication(const Graph &graph) {
    return {graph.replicas, graph.replicaStride};
  }

  /// Throws if the engine's program was moved away.
  template <typename AnyEngine>
  static EngineImpl &impl(const AnyEngine &engine) {
    return engine.held();
  }

  static std::shared_ptr<ExecutableData> &data(Executable &executable) {
    return executable.data;
  }
  static const std::shared_ptr<ExecutableData> &
  data(const Executable &executable) {
    return executable.data;
  }

  static VertexIntrospector introspector(const IntrospectedVertex &vertex) {
    return VertexIntrospector(vertex);
  }
};

} // namespace poplar::core

#endif
