// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ONNX model behind a Builder: its graph, used names, open scopes, and the
// shapes that the compiler has inferred so far. A subgraph's Builder sees and
// shares the names of the graph around it.

#ifndef POPULUS_LIB_POPART_INTERFACE_BUILDERSTATE_H
#define POPULUS_LIB_POPART_INTERFACE_BUILDERSTATE_H

#include "lib/PopART/Import/GrowingModel.h"
#include "lib/PopART/Interface/SessionProgram.h"

#include <popart/builder.hpp>

#include <onnx/onnx_pb.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace popart {
namespace popart_detail {

class BuilderState {
public:
  BuilderState();

  /// For a subgraph of `parent`, whose tensors it sees. Names are unique across
  /// both.
  explicit BuilderState(BuilderState &parent);

  /// Starts from a serialized model.
  explicit BuilderState(const std::string &bytes);

  static BuilderState &of(const Builder &builder) { return *builder.state; }

  onnx::GraphProto &graph() { return *model.mutable_graph(); }

  /// `name`, prefixed with the open scopes.
  std::string scoped(const std::string &name) const;

  /// `stem` in the open scopes, or the first of stem/1, stem/2, … that is free.
  TensorId newName(const std::string &stem);

  /// Fails if another version of the domain is in use.
  void useOpset(const std::string &domain, int version);

  /// Adds a node; returns its results, which are named after the operator.
  TensorIds addNode(const std::string &domain, const std::string &type,
                    const TensorIds &inputs, unsigned numOutputs,
                    const std::map<std::string, any> &attributes,
                    const std::string &name);

  TensorId addIdentity(const TensorId &id) {
    return addNode("", "Identity", {id}, 1, {}, "").front();
  }

  /// The node that produces a tensor; fails if there is none.
  onnx::NodeProto &nodeOf(const TensorId &output);

  /// The complete model: with an opset, types of its results, and initializers
  /// also listed as inputs, as programs expect.
  onnx::ModelProto complete() const;

  /// Asks the compiler for types and shapes.
  std::vector<TensorInfo> inferred(const std::vector<std::string> &ids) const;

  BuilderState *parent = nullptr;
  onnx::ModelProto model;
  std::shared_ptr<std::set<std::string>> names =
      std::make_shared<std::set<std::string>>();
  std::vector<std::string> scopes;
  /// Attributes to add to new nodes.
  std::map<std::string, any> ofAllNodes;
  std::vector<std::unique_ptr<Builder>> subgraphs;

  /// Initializers that the exported model keeps in external files.
  session::ExternalPlaces places;

  /// The incremental import of the model; reset when a node is changed.
  mutable populus::popir::GrowingModel growing;

private:
  /// Nothing if the model was loaded (it has to be checked first) or cannot be
  /// imported.
  std::optional<session::Info> grown(const std::string &id) const;

  /// Throws in a subgraph: it is no model, and its shapes depend on the caller.
  void needRoot(const char *what) const;

  onnx::ModelProto withOpset() const;

  bool isFromElsewhere = false;
  /// By stem, the last number in use.
  std::map<std::string, int> next;
};

} // namespace popart_detail
} // namespace popart

#endif // POPULUS_LIB_POPART_INTERFACE_BUILDERSTATE_H
