// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds Loss objects to the model as nodes: for each, a tensor with its name,
// and a scalar; the scalars are summed. Unused nodes are pruned later.

#include "lib/PopART/Interface/SessionProgram.h"
#include "lib/PopART/Support/OnnxTypes.h"

#include <popart/error.hpp>
#include <popart/losses.hpp>

#include <onnx/onnx_pb.h>

#include <set>

namespace popart {

Loss::~Loss() = default;

namespace {

/// Appends nodes to a model.
class Model {
public:
  explicit Model(const std::string &bytes) {
    if (!model.ParseFromString(bytes))
      throw error("the model is not an ONNX model");
    const onnx::GraphProto &graph = model.graph();
    for (const auto &input : graph.input())
      names.insert(input.name());
    for (const auto &weight : graph.initializer())
      names.insert(weight.name());
    for (const auto &node : graph.node())
      names.insert(node.output().begin(), node.output().end());
  }

  bool has(const TensorId &id) const { return names.count(id) != 0; }

  void addInput(const TensorId &id, const TensorInfo &info) {
    names.insert(id);
    onnx::ValueInfoProto &input = *model.mutable_graph()->add_input();
    input.set_name(id);
    onnx::TypeProto::Tensor &type =
        *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(session::toOnnx(info.dataType()));
    type.mutable_shape();
    for (const std::int64_t extent : info.shape())
      type.mutable_shape()->add_dim()->set_dim_value(extent);
  }

  onnx::NodeProto &add(const char *domain, const char *type,
                       const std::vector<TensorId> &inputs,
                       const TensorId &output) {
    if (!names.insert(output).second)
      throw error("the model has a tensor '{}' already, which cannot be a loss",
                  output);
    onnx::NodeProto &node = *model.mutable_graph()->add_node();
    node.set_domain(domain);
    node.set_op_type(type);
    for (const TensorId &input : inputs) {
      if (!has(input))
        throw error("the loss '{}' reads '{}', which the model does not have",
                    output, input);
      node.add_input(input);
    }
    node.add_output(output);
    return node;
  }

  /// `stem`, or `stem` with a number if it is taken.
  TensorId newName(const TensorId &stem) const {
    TensorId name = stem;
    for (int i = 1; has(name); ++i)
      name = stem + "/" + std::to_string(i);
    return name;
  }

  void useGraphcoreOpset() {
    for (const auto &import : model.opset_import())
      if (import.domain() == "ai.graphcore")
        return;
    onnx::OperatorSetIdProto &import = *model.add_opset_import();
    import.set_domain("ai.graphcore");
    import.set_version(1);
  }

  std::string bytes() const { return model.SerializeAsString(); }

private:
  onnx::ModelProto model;
  std::set<TensorId> names;
};

onnx::AttributeProto &addAttribute(onnx::NodeProto &node, const char *name,
                                   onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

void setReduction(onnx::NodeProto &node, ReductionType reduction) {
  const char *const name = reduction == ReductionType::Mean  ? "Mean"
                           : reduction == ReductionType::Sum ? "Sum"
                                                             : "NoReduction";
  addAttribute(node, "reduction", onnx::AttributeProto::STRING).set_s(name);
}

/// The operator of a loss, reduced in one way or another.
void addLoss(Model &model, const Loss &loss, ReductionType reduction,
             const TensorId &output) {
  constexpr const char *Domain = "ai.graphcore";
  const std::vector<TensorId> &inputs = loss.getInputIds();
  if (const auto *nll = dynamic_cast<const NllLoss *>(&loss)) {
    onnx::NodeProto &node = model.add(Domain, "Nll", inputs, output);
    setReduction(node, reduction);
    if (nll->hasIgnoreIndex())
      addAttribute(node, "ignoreIndex", onnx::AttributeProto::INT)
          .set_i(nll->getIgnoreIndex());
  } else if (const auto *l1 = dynamic_cast<const L1Loss *>(&loss)) {
    onnx::NodeProto &node = model.add(Domain, "L1", inputs, output);
    setReduction(node, reduction);
    addAttribute(node, "lambda", onnx::AttributeProto::FLOAT)
        .set_f(l1->getLambda());
  } else {
    setReduction(model.add(Domain, "IdentityLoss", inputs, output), reduction);
  }
}

/// Adds the tensor of a loss that programs see; for L1, one number per sample.
void addResult(Model &model, const Loss &loss) {
  const TensorId &output = loss.output(0);
  if (!dynamic_cast<const L1Loss *>(&loss))
    return addLoss(model, loss, ReductionType::NoReduction, output);
  const TensorId elements = model.newName(output + "/elements");
  addLoss(model, loss, ReductionType::NoReduction, elements);
  const TensorId samples = model.newName(output + "/samples");
  model.add("", "Flatten", {elements}, samples);
  onnx::NodeProto &sum = model.add("", "ReduceSum", {samples}, output);
  addAttribute(sum, "axes", onnx::AttributeProto::INTS).add_ints(1);
  addAttribute(sum, "keepdims", onnx::AttributeProto::INT).set_i(0);
}

} // namespace

ModelWithLosses withLosses(const std::string &bytes,
                           const std::vector<const Loss *> &losses,
                           const InputShapeInfo &inputShapes) {
  if (losses.empty())
    throw error("there is no loss");
  Model model(session::modelBytes(bytes));
  model.useGraphcoreOpset();
  std::vector<TensorId> numbers;
  for (const Loss *loss : losses) {
    for (const TensorId &input : loss->getInputIds())
      if (!model.has(input) && inputShapes.has(input))
        model.addInput(input, inputShapes.get(input));
    addResult(model, *loss);
    numbers.push_back(model.newName(loss->output(0) + "/sum"));
    addLoss(model, *loss,
            loss->getReductionType() == ReductionType::Mean
                ? ReductionType::Mean
                : ReductionType::Sum,
            numbers.back());
  }
  const TensorId total = model.newName("loss/sum");
  model.add("", "Sum", numbers, total);
  return {model.bytes(), total};
}

} // namespace popart
