// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The import of a checked model: in the model's order operators are made and
// connected, their results get types and shapes, and those that depend on
// constants only are computed here and now.

#include "lib/PopART/Import/Importer.h"

#include "lib/PopART/Import/Body.h"
#include "lib/PopART/Import/ModelCheck.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Support/Error.h"

#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>

namespace popart {

namespace {

// libonnx knows the type rules of all operators; let it find violations. It
// trusts its input, so this comes after our own checks of every node.
void checkTypes(onnx::ModelProto &model) {
  onnx::ShapeInferenceOptions options(/*check_type=*/true, /*strict_mode=*/1,
                                      /*data_prop=*/true);
  try {
    onnx::shape_inference::InferShapes(
        model, onnx::OpSchemaRegistry::Instance(), options);
  } catch (const std::exception &error) {
    failInput("types or shapes of the model do not fit: {}",
              oneLine(error.what()));
  }
}

class Importer {
public:
  Importer(const onnx::ModelProto &model, const ImportOptions &options)
      : model(model), options(options), graph(model.graph().name()),
        scope(opsetsOf(model)), body(model, graph, options.folding) {}

  Graph run(const std::vector<ModelInput> &inputs) {
    for (const ModelInput &input : inputs) {
      graph.inputs.push_back(&graph.addTensor(input.name, input.info));
      scope.bind(input.name, graph.inputs.back());
    }
    body.addGraph(model.graph(), scope);
    body.problems.throwIfAny();
    addOutputs();
    graph.removeOps([](const Op &op) {
      return !op.hasEffect() &&
             std::all_of(op.outputs().begin(), op.outputs().end(),
                         [](const Tensor *output) { return !output; });
    });
    graph.removeUnusedConstants();
    return std::move(graph);
  }

private:
  void addOutputs() {
    if (options.anchors.empty()) {
      if (model.graph().output().empty())
        failInput("the model has no outputs, so there is nothing to compute; "
                  "name tensors with --anchor NAME");
      for (const onnx::ValueInfoProto &output : model.graph().output())
        addOutput(output.name());
      return;
    }
    for (const std::string &name : options.anchors) {
      if (!find(name))
        fail(ErrorKind::Usage, "--anchor: the model has no tensor '{}'", name);
      addOutput(name);
    }
  }

  /// A tensor of the model, or of a body by its name in the IR.
  Tensor *find(const std::string &name) const {
    std::optional<Tensor *> tensor = scope.find(name);
    return tensor ? *tensor : graph.findTensor(name);
  }

  void addOutput(const std::string &name) {
    Tensor *tensor = find(name);
    if (!tensor)
      failInput("the model's output '{}' is not computed by any node", name);
    for (const GraphOutput &output : graph.outputs)
      if (output.name == name) // named twice, returned once
        return;
    graph.outputs.push_back({name, tensor});
  }

  const onnx::ModelProto &model;
  const ImportOptions &options;
  Graph graph;
  Scope scope;
  BodyImporter body;
};

} // namespace

Graph importModel(onnx::ModelProto model, const ImportOptions &options) {
  checkSupport(model);
  std::vector<ModelInput> inputs = bindInputShapes(model, options.shapes);
  completeOutputShapes(model);
  checkValid(model);
  forgetDerivedShapes(model);
  Graph graph = Importer(model, options).run(inputs);
  checkTypes(model);
  return graph;
}

} // namespace popart
