// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model as its operators see it.

#ifndef POPULUS_INCLUDE_POPART_IR_HPP
#define POPULUS_INCLUDE_POPART_IR_HPP

#include <popart/error.hpp>
#include <popart/graphid.hpp>
#include <popart/logging.hpp>
#include <popart/names.hpp>
#include <popart/sessionoptions.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace popart {

class Graph;

class Ir {
public:
  Ir();
  ~Ir();
  Ir(const Ir &) = delete;
  Ir &operator=(const Ir &) = delete;

  const SessionOptions &getSessionOptions() const { return options; }
  SessionOptions &getSessionOptions() { return options; }
  void setUserOptions(const SessionOptions &newOptions) {
    options = newOptions;
  }

  /// Returns a name that was not returned before.
  TensorId createIntermediateTensorId(const TensorId &base) {
    return base + "__t" + std::to_string(nextTensor++);
  }

  /// The main graph, which is made at the first call if there is none.
  Graph &getMainGraph();
  const Graph &getMainGraph() const {
    return const_cast<Ir *>(this)->getMainGraph();
  }
  /// Makes a graph. A name that exists is an error.
  Graph &createGraph(const GraphId &id);
  /// Throws if there is no graph with that name.
  Graph &getGraph(const GraphId &id) const;
  bool hasGraph(const GraphId &id) const;
  std::vector<const Graph *> getAllGraphs() const;

  /// Applies the transform with that number (Transform::getId) to a graph.
  /// Throws if none is registered.
  void applyTransform(std::size_t transformId, Graph &graph);

private:
  friend class Graph;

  SessionOptions options;
  std::uint64_t nextTensor = 0;
  std::vector<Graph *> graphs;
  std::vector<std::unique_ptr<Graph>> owned;
};

} // namespace popart

#endif
