// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The import of a checked model: first all operators are made, which finds
// every attribute that is not supported; then, in the model's order, they are
// connected, their results get types and shapes, and those that depend on
// constants only are computed here and now.

#include "lib/PopART/Import/Importer.h"

#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Ops/Registry.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"

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

OpSpec importSpec(const onnx::ModelProto &model, const onnx::NodeProto &node) {
  OpSpec spec;
  spec.id = resolveOperator(model, node);
  spec.name = nodeName(node);
  spec.attributes = importAttributes(node);
  spec.numInputs = node.input_size();
  // Results at the end that nobody wants do not count.
  spec.numOutputs = node.output_size();
  while (spec.numOutputs > 0 && node.output(spec.numOutputs - 1).empty())
    --spec.numOutputs;
  return spec;
}

std::vector<std::unique_ptr<Op>> createOps(const onnx::ModelProto &model) {
  std::vector<std::unique_ptr<Op>> ops;
  std::vector<std::string> problems;
  for (const onnx::NodeProto &node : model.graph().node()) {
    try {
      ops.push_back(createOp(importSpec(model, node)));
    } catch (const Error &error) {
      if (error.kind() != ErrorKind::Unsupported)
        throw;
      problems.push_back(error.what());
    }
  }
  if (!problems.empty())
    failUnsupported("{}", fmt::join(problems, "; "));
  return ops;
}

class Importer {
public:
  Importer(const onnx::ModelProto &model, const ImportOptions &options)
      : model(model), options(options), graph(model.graph().name()) {}

  Graph run(const std::vector<ModelInput> &inputs,
            std::vector<std::unique_ptr<Op>> ops) {
    addInputs(inputs);
    addInitializers();
    for (std::size_t i = 0; i != ops.size(); ++i)
      addOp(std::move(ops[i]), model.graph().node(static_cast<int>(i)));
    addOutputs();
    graph.removeOps([](const Op &op) {
      return std::all_of(op.outputs().begin(), op.outputs().end(),
                         [](const Tensor *output) { return !output; });
    });
    graph.removeUnusedConstants();
    return std::move(graph);
  }

private:
  void addInputs(const std::vector<ModelInput> &inputs) {
    for (const ModelInput &input : inputs)
      graph.inputs.push_back(&graph.addTensor(input.name, input.info));
  }

  void addInitializers() {
    for (const onnx::TensorProto &tensor : model.graph().initializer())
      graph.addConstant(tensor.name(), importTensor(tensor));
  }

  Tensor *inputTensor(const onnx::NodeProto &node, const std::string &name) {
    if (name.empty())
      return nullptr;
    Tensor *tensor = graph.findTensor(name);
    if (!tensor)
      failInput("node '{}' ({}) reads '{}', which nothing before it defines",
                nodeName(node), node.op_type(), name);
    return tensor;
  }

  void addOp(std::unique_ptr<Op> newOp, const onnx::NodeProto &node) {
    std::vector<Tensor *> inputs, outputs;
    for (const std::string &name : node.input())
      inputs.push_back(inputTensor(node, name));
    for (const std::string &name : node.output())
      outputs.push_back(name.empty() ? nullptr : &graph.addTensor(name));
    outputs.resize(newOp->spec().numOutputs);
    Op &op = graph.addOp(std::move(newOp), inputs, outputs);
    inferOutputs(op);
    foldConstants(op);
  }

  void inferOutputs(Op &op) {
    std::vector<TensorInfo> infos = op.infer();
    for (std::size_t i = 0; i != op.outputs().size(); ++i) {
      if (!op.hasOutput(i))
        continue;
      if (i >= infos.size())
        op.failUnsupported(fmt::format("its output {} ('{}') is not supported",
                                       i, op.output(i).name));
      if (!checkedNumElements(infos[i].shape, sizeOf(infos[i].type)))
        op.failInput(fmt::format("its output has the impossible shape {}",
                                 toString(infos[i].shape)));
      op.outputs()[i]->info = std::move(infos[i]);
    }
    logging::debug(logging::Module::op, "{} -> {}", op.describe(),
                   op.hasOutput(0) ? toString(op.output().info) : "nothing");
  }

  void foldConstants(Op &op) {
    bool isConstant = std::all_of(
        op.inputs().begin(), op.inputs().end(),
        [](const Tensor *input) { return !input || input->isConstant(); });
    if (!isConstant && op.needsInputValues())
      return;
    std::optional<std::vector<HostTensor>> values = op.evaluate();
    if (!values)
      return;
    logging::debug(logging::Module::ces, "folded {}", op.describe());
    // makeConstant edits the list of outputs.
    std::vector<Tensor *> outputs = op.outputs();
    for (std::size_t i = 0; i != outputs.size(); ++i)
      if (outputs[i])
        graph.makeConstant(*outputs[i], std::make_shared<const HostTensor>(
                                            std::move((*values)[i])));
  }

  void addOutputs() {
    if (options.anchors.empty()) {
      for (const onnx::ValueInfoProto &output : model.graph().output())
        addOutput(output.name());
      return;
    }
    for (const std::string &name : options.anchors) {
      if (!graph.findTensor(name))
        fail(ErrorKind::Usage, "--anchor: the model has no tensor '{}'", name);
      addOutput(name);
    }
  }

  void addOutput(const std::string &name) {
    Tensor *tensor = graph.findTensor(name);
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
};

} // namespace

Graph importModel(onnx::ModelProto model, const ImportOptions &options) {
  checkSupport(model);
  std::vector<ModelInput> inputs = bindInputShapes(model, options.shapes);
  completeOutputShapes(model);
  checkValid(model);
  forgetDerivedShapes(model);
  std::vector<std::unique_ptr<Op>> ops = createOps(model);
  Graph graph = Importer(model, options).run(inputs, std::move(ops));
  checkTypes(model);
  return graph;
}

} // namespace popart
