// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Incremental import: keeps one scope and one graph, and adds the new parts of
// the model to them.

#include "lib/PopART/Import/GrowingModel.h"

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Import/Body.h"
#include "lib/PopART/Import/InputShapes.h"
#include "lib/PopART/Support/Error.h"

#include <onnx/onnx_pb.h>

#include <set>
#include <unordered_set>

namespace populus::popir {

struct GrowingModel::State {
  explicit State(const onnx::ModelProto &model)
      : model(model), opsets(model.opset_import_size()),
        graph(module.addGraph("growing")), scope(opsetsOf(model)),
        body(model, graph, FoldingBudget()) {}

  bool isOf(const onnx::ModelProto &other) const {
    return &model == &other && opsets == other.opset_import_size();
  }

  /// Imports the new parts; false if a part cannot be imported.
  bool catchUp() {
    try {
      addInputs();
      body.addGraph(model.graph(), scope, initializers, nodes);
      body.problems.throwIfAny();
    } catch (const Error &) {
      return false;
    }
    initializers = model.graph().initializer_size();
    nodes = model.graph().node_size();
    return true;
  }

  void addInputs() {
    if (inputs == model.graph().input_size())
      return;
    std::set<std::string> weights;
    for (const onnx::TensorProto &weight : model.graph().initializer())
      weights.insert(weight.name());
    onnx::ModelProto added;
    for (; inputs != model.graph().input_size(); ++inputs)
      if (!weights.contains(model.graph().input(inputs).name()))
        *added.mutable_graph()->add_input() = model.graph().input(inputs);
    for (const ModelInput &input : bindInputShapes(added, {}))
      scope.bind(input.name, &graph.addArgument(input.name, input.info));
  }

  const onnx::ModelProto &model;
  const int opsets;
  Module module;
  Graph &graph;
  Scope scope;
  BodyImporter body;
  /// The numbers of inputs, initializers and nodes imported so far.
  int inputs = 0, initializers = 0, nodes = 0;
};

GrowingModel::GrowingModel() = default;
GrowingModel::~GrowingModel() = default;

void GrowingModel::forget() { state.reset(); }

std::optional<TensorInfo> GrowingModel::find(const onnx::ModelProto &model,
                                             const std::string &tensor) {
  if (!state || !state->isOf(model))
    state = std::make_unique<State>(model);
  if (!state->catchUp()) {
    forget();
    return std::nullopt;
  }
  const std::optional<Value *> value = state->scope.find(tensor);
  if (!value || !*value)
    return std::nullopt;
  return (*value)->info;
}

} // namespace populus::popir
