// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits of ONNX models, in the main graph and in subgraphs of nodes.

#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Interface/Elements.h"
#include "lib/PopART/Interface/SessionProgram.h"
#include "lib/PopART/Interface/Translated.h"

#include <popart/error.hpp>
#include <popart/graphtransformer.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>

namespace popart {

namespace {

using onnx::GraphProto;
using onnx::NodeProto;
using onnx::TensorProto;

/// Calls `edit` with the graph and all nested graphs.
void forAllGraphs(GraphProto &graph,
                  const std::function<void(GraphProto &)> &edit) {
  edit(graph);
  for (NodeProto &node : *graph.mutable_node())
    for (onnx::AttributeProto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        forAllGraphs(*attribute.mutable_g(), edit);
}

using Convert = std::function<void(TensorProto &)>;

void convertTensor(TensorProto &tensor, int from, int to, bool clip) {
  if (tensor.data_type() != from)
    return;
  const populus::popir::HostTensor value = populus::popir::importTensor(tensor);
  if (from == TensorProto::INT64 && !clip) {
    using Limits = std::numeric_limits<std::int32_t>;
    for (const std::int64_t number : value.as<std::int64_t>())
      if (number < Limits::min() || number > Limits::max())
        throw error("convertINT64ToINT32: {} of the tensor '{}' does not fit "
                    "into INT32",
                    number, tensor.name());
  }
  populus::popir::HostTensor source = value;
  if (from == TensorProto::INT64)
    for (std::int64_t &number : source.as<std::int64_t>())
      number = std::clamp<std::int64_t>(
          number, std::numeric_limits<std::int32_t>::min(),
          std::numeric_limits<std::int32_t>::max());
  const populus::popir::HostTensor result =
      source.convertedTo(*populus::popir::fromOnnx(to));
  TensorProto converted;
  converted.set_name(tensor.name());
  converted.set_data_type(to);
  *converted.mutable_dims() = tensor.dims();
  session::setElements(converted, result.bytes().data(), result.bytes().size());
  tensor = std::move(converted);
}

void convertInfo(onnx::ValueInfoProto &info, int from, int to) {
  if (info.type().has_tensor_type() &&
      info.type().tensor_type().elem_type() == from)
    info.mutable_type()->mutable_tensor_type()->set_elem_type(to);
}

/// Converts type attributes: `to` of a Cast, and `dtype` of nodes that create
/// tensors.
void convertAttribute(const NodeProto &node, onnx::AttributeProto &attribute,
                      int from, int to) {
  const bool isType = (node.op_type() == "Cast" && attribute.name() == "to") ||
                      attribute.name() == "dtype";
  if (isType && attribute.i() == from)
    attribute.set_i(to);
}

/// True for operands that ONNX requires to be int64: shapes, axes, counts.
bool isShapeOperand(const GraphProto &graph, const TensorId &id) {
  static const std::set<std::string> readers = {
      "Reshape",         "Tile",   "Expand",   "Slice",  "Pad",     "TopK",
      "ConstantOfShape", "Resize", "Upsample", "OneHot", "Squeeze", "Unsqueeze",
      "ReduceSum",       "Split",  "Range",    "Loop"};
  for (const NodeProto &node : graph.node())
    for (int i = 0; i != node.input_size(); ++i)
      if (node.input(i) == id && readers.count(node.op_type()) &&
          (i != 0 || node.op_type() == "ConstantOfShape"))
        return true;
  return false;
}

void convertGraph(GraphProto &graph, int from, int to, bool clip) {
  const bool keepsShapes = from == TensorProto::INT64;
  auto isKept = [&](const TensorId &id) {
    return keepsShapes && isShapeOperand(graph, id);
  };
  for (TensorProto &weight : *graph.mutable_initializer())
    if (!isKept(weight.name()))
      convertTensor(weight, from, to, clip);
  for (auto *infos : {graph.mutable_input(), graph.mutable_output(),
                      graph.mutable_value_info()})
    for (onnx::ValueInfoProto &info : *infos)
      if (!isKept(info.name()))
        convertInfo(info, from, to);
  for (NodeProto &node : *graph.mutable_node())
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      convertAttribute(node, attribute, from, to);
      if (attribute.has_t() && !isKept(node.output(0)))
        convertTensor(*attribute.mutable_t(), from, to, clip);
    }
}

/// All names read by nodes of a graph and of its nested graphs.
std::set<TensorId> namesRead(GraphProto &graph) {
  std::set<TensorId> names;
  forAllGraphs(graph, [&](GraphProto &inner) {
    for (const NodeProto &node : inner.node())
      names.insert(node.input().begin(), node.input().end());
    for (const auto &output : inner.output())
      names.insert(output.name());
  });
  return names;
}

template <class List, class Predicate>
void removeIf(List &list, Predicate &&predicate) {
  list.erase(std::remove_if(list.begin(), list.end(), predicate), list.end());
}

bool isFixedPoint(int type) {
  return type != TensorProto::FLOAT && type != TensorProto::FLOAT16 &&
         type != TensorProto::DOUBLE && type != TensorProto::BFLOAT16;
}

} // namespace

namespace popart_detail {

class TransformedModel {
public:
  explicit TransformedModel(const std::string &modelProtoOrFilename) {
    const std::string bytes =
        session::modelBytes(modelProtoOrFilename, &places);
    if (!model.ParseFromString(bytes))
      throw error("GraphTransformer: this is not an ONNX model");
  }

  GraphProto &graph() { return *model.mutable_graph(); }

  void convert(int from, int to, bool clip = false) {
    forAllGraphs(graph(), [&](GraphProto &inner) {
      convertGraph(inner, from, to, clip);
    });
    // External files still hold the old type: forget them.
    for (const TensorProto &weight : graph().initializer())
      if (weight.data_type() == to)
        places.erase(weight.name());
  }

  void makeConstants(const std::set<TensorId> &ids) {
    GraphProto &main = graph();
    // Constants have to precede their readers.
    google::protobuf::RepeatedPtrField<NodeProto> nodes;
    for (const TensorProto &weight : main.initializer()) {
      if (!ids.count(weight.name()))
        continue;
      NodeProto &node = *nodes.Add();
      node.set_op_type("Constant");
      node.add_output(weight.name());
      onnx::AttributeProto &value = *node.add_attribute();
      value.set_name("value");
      value.set_type(onnx::AttributeProto::TENSOR);
      *value.mutable_t() = weight;
    }
    nodes.MergeFrom(main.node());
    main.mutable_node()->Swap(&nodes);
    auto isConstant = [&](const auto &entry) {
      return ids.count(entry.name()) != 0;
    };
    removeIf(*main.mutable_initializer(), isConstant);
    removeIf(*main.mutable_input(), isConstant);
  }

  onnx::ModelProto model;
  session::ExternalPlaces places;
};

} // namespace popart_detail

GraphTransformer::GraphTransformer(const std::string &modelProtoOrFilename)
    : model(std::make_unique<popart_detail::TransformedModel>(
          modelProtoOrFilename)) {}

GraphTransformer::~GraphTransformer() = default;

std::string GraphTransformer::getModelProto() const {
  onnx::ModelProto result = model->model;
  session::referTo(model->places, *result.mutable_graph());
  return result.SerializeAsString();
}

void GraphTransformer::removeUnusedInputs() {
  const std::set<TensorId> read = namesRead(model->graph());
  auto isUnused = [&](const auto &entry) { return !read.count(entry.name()); };
  removeIf(*model->graph().mutable_input(), isUnused);
  removeIf(*model->graph().mutable_initializer(), isUnused);
}

void GraphTransformer::prepareNodesForTraining() {
  constexpr int Results = 5;
  forAllGraphs(model->graph(), [](GraphProto &graph) {
    for (NodeProto &node : *graph.mutable_node())
      if (node.op_type() == "BatchNormalization")
        for (int i = node.output_size(); i < Results; ++i)
          node.add_output(node.output(0) + "/statistics:" + std::to_string(i));
  });
}

void GraphTransformer::convertFloatsToHalfs() {
  model->convert(TensorProto::FLOAT, TensorProto::FLOAT16);
}
void GraphTransformer::convertUINT8ToINT32() {
  model->convert(TensorProto::UINT8, TensorProto::INT32);
}
void GraphTransformer::convertUINT16ToINT32() {
  model->convert(TensorProto::UINT16, TensorProto::INT32);
}
void GraphTransformer::convertINT8ToINT32() {
  model->convert(TensorProto::INT8, TensorProto::INT32);
}
void GraphTransformer::convertINT16ToINT32() {
  model->convert(TensorProto::INT16, TensorProto::INT32);
}
void GraphTransformer::convertINT64ToINT32(bool clip) {
  model->convert(TensorProto::INT64, TensorProto::INT32, clip);
}
void GraphTransformer::convertDoublesToFloats() {
  model->convert(TensorProto::DOUBLE, TensorProto::FLOAT);
}
void GraphTransformer::convertDoublesToHalfs() {
  model->convert(TensorProto::DOUBLE, TensorProto::FLOAT16);
}
void GraphTransformer::convertBFloats16ToFloat32() {
  model->convert(TensorProto::BFLOAT16, TensorProto::FLOAT);
}

void GraphTransformer::convertInitializersToConstants(
    const std::vector<TensorId> &ids) {
  std::set<TensorId> known;
  for (const TensorProto &weight : model->graph().initializer())
    known.insert(weight.name());
  for (const TensorId &id : ids)
    if (!known.count(id))
      throw error("convertInitializersToConstants: the model has no "
                  "initializer '{}'",
                  id);
  model->makeConstants({ids.begin(), ids.end()});
}

void GraphTransformer::convertAllFixedPointInitializersToConstants() {
  std::set<TensorId> ids;
  for (const TensorProto &weight : model->graph().initializer())
    if (isFixedPoint(weight.data_type()))
      ids.insert(weight.name());
  model->makeConstants(ids);
}

void GraphTransformer::saveInitializersExternally(
    const std::vector<TensorId> &ids, const std::string &path) {
  session::translated([&] {
    session::saveExternally(model->graph(), ids, path, model->places);
  });
}

} // namespace popart
