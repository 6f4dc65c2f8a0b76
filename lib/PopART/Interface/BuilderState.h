// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ONNX model behind a Builder: its graph, the names that are taken, the
// scopes that are open, and what the compiler knows of shapes so far. Builders
// of subgraphs share the names of the graph around them, which they see.

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

  /// For a graph inside that of `parent`, whose tensors it sees. Names are
  /// unique in all of them.
  explicit BuilderState(BuilderState &parent);

  /// For a serialized model from elsewhere.
  explicit BuilderState(const std::string &bytes);

  static BuilderState &of(const Builder &builder) { return *builder.state; }

  onnx::GraphProto &graph() { return *model.mutable_graph(); }

  /// `name` with the scopes that are open in front of it.
  std::string scoped(const std::string &name) const;

  /// `stem` in the open scopes, or the first of stem/1, stem/2, … that is free.
  TensorId newName(const std::string &stem);

  /// Fails if another version of the domain is in use.
  void useOpset(const std::string &domain, int version);

  /// Gives the results, which are named after the operator.
  TensorIds addNode(const std::string &domain, const std::string &type,
                    const TensorIds &inputs, unsigned numOutputs,
                    const std::map<std::string, any> &attributes,
                    const std::string &name);

  TensorId addIdentity(const TensorId &id) {
    return addNode("", "Identity", {id}, 1, {}, "").front();
  }

  /// The node that makes a tensor; fails where there is none.
  onnx::NodeProto &nodeOf(const TensorId &output);

  /// The model with an opset at least, with the types of its results, and with
  /// initializers among its inputs, where programs look for them.
  onnx::ModelProto complete() const;

  /// Asks the compiler for types and shapes.
  std::vector<TensorInfo> inferred(const std::vector<std::string> &ids) const;

  BuilderState *parent = nullptr;
  onnx::ModelProto model;
  std::shared_ptr<std::set<std::string>> names =
      std::make_shared<std::set<std::string>>();
  std::vector<std::string> scopes;
  /// Attributes that new nodes get.
  std::map<std::string, any> ofAllNodes;
  std::vector<std::unique_ptr<Builder>> subgraphs;

  /// Initializers whose elements the model, as others get it, has in files.
  session::ExternalPlaces places;

  /// What the compiler knows of the model so far. Whoever changes a node
  /// forgets it.
  mutable populus::popir::GrowingModel growing;

private:
  /// Nothing of a model from elsewhere, which has to be checked first, or that
  /// cannot be imported.
  std::optional<session::Info> grown(const std::string &id) const;

  /// A subgraph is part of a model, and its shapes depend on who calls it.
  void needRoot(const char *what) const;

  onnx::ModelProto withOpset() const;

  bool isFromElsewhere = false;
  /// By stem, the last number of its names.
  std::map<std::string, int> next;
};

} // namespace popart_detail
} // namespace popart

#endif // POPULUS_LIB_POPART_INTERFACE_BUILDERSTATE_H
