// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Binding of input shapes. All problems are collected first, so that one
// message names every option that is missing.

#include "lib/PopART/Import/InputShapes.h"

#include "lib/PopART/Support/Error.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <set>

namespace populus::popir {

namespace {

using Dimension = onnx::TensorShapeProto::Dimension;

std::string toString(const onnx::TensorShapeProto &shape) {
  std::vector<std::string> dims;
  for (const Dimension &dim : shape.dim())
    dims.push_back(dim.has_dim_value()       ? std::to_string(dim.dim_value())
                   : dim.dim_param().empty() ? "?"
                                             : dim.dim_param());
  return fmt::format("{}", fmt::join(dims, "x"));
}

class Binder {
public:
  Binder(onnx::ModelProto &model, const ShapeOptions &options)
      : graph(*model.mutable_graph()), options(options) {
    for (const onnx::TensorProto &tensor : graph.initializer())
      initializers.insert(tensor.name());
  }

  std::vector<ModelInput> run() {
    for (onnx::ValueInfoProto &input : *graph.mutable_input())
      if (!initializers.count(input.name()))
        bind(input);
    checkOptionNames();
    if (!problems.empty())
      failInput("the model has unknown dimensions: {}; set them with "
                "--input-shape NAME=1x3x224x224 or --dim NAME=1",
                fmt::join(problems, ", "));
    return std::move(inputs);
  }

private:
  void bind(onnx::ValueInfoProto &input) {
    if (!input.type().has_tensor_type())
      failUnsupported("input '{}' is not a tensor (sequences, maps and "
                      "optional inputs are not supported)",
                      input.name());
    auto &tensorType = *input.mutable_type()->mutable_tensor_type();
    std::optional<DataType> type = fromOnnx(tensorType.elem_type());
    if (!type)
      failUnsupported("input '{}' has the element type {}, which is not "
                      "supported",
                      input.name(),
                      onnx::TensorProto_DataType_Name(tensorType.elem_type()));
    applyOptions(input.name(), tensorType);
    if (std::optional<Shape> shape = staticShape(tensorType)) {
      if (!checkedNumElements(*shape, sizeOf(*type)))
        failInput("input '{}' has the impossible shape {}", input.name(),
                  popir::toString(*shape));
      inputs.push_back({input.name(), {*type, std::move(*shape)}});
      return;
    }
    problems.push_back(fmt::format("input '{}' has {}", input.name(),
                                   tensorType.has_shape()
                                       ? "shape " + toString(tensorType.shape())
                                       : "no shape"));
  }

  void applyOptions(const std::string &name,
                    onnx::TypeProto::Tensor &tensorType) {
    inputNames.push_back(name);
    for (const Dimension &dim : tensorType.shape().dim())
      if (dim.has_dim_param())
        symbols.insert(dim.dim_param());
    if (auto given = options.inputShapes.find(name);
        given != options.inputShapes.end()) {
      checkRank(name, tensorType, given->second);
      checkDims(name, tensorType, given->second);
      tensorType.mutable_shape()->clear_dim();
      for (std::int64_t extent : given->second)
        tensorType.mutable_shape()->add_dim()->set_dim_value(extent);
    }
    if (!tensorType.has_shape())
      return;
    for (Dimension &dim : *tensorType.mutable_shape()->mutable_dim())
      if (dim.has_dim_param()) {
        auto given = options.dims.find(dim.dim_param());
        if (given != options.dims.end())
          dim.set_dim_value(given->second);
      }
  }

  static void checkRank(const std::string &name,
                        const onnx::TypeProto::Tensor &tensorType,
                        const Shape &shape) {
    if (!tensorType.has_shape() ||
        tensorType.shape().dim_size() == static_cast<int>(shape.size()))
      return;
    fail(ErrorKind::Usage,
         "--input-shape {}={}: the input has {} dimensions in the model ({})",
         name, popir::toString(shape), tensorType.shape().dim_size(),
         toString(tensorType.shape()));
  }

  /// Two options say the extent of a dimension: the same one.
  void checkDims(const std::string &name,
                 const onnx::TypeProto::Tensor &tensorType,
                 const Shape &shape) const {
    for (int i = 0; i < tensorType.shape().dim_size(); ++i) {
      const std::string &symbol = tensorType.shape().dim(i).dim_param();
      const auto given = options.dims.find(symbol);
      if (given != options.dims.end() && given->second != shape[i])
        fail(ErrorKind::Usage,
             "--input-shape {}={} makes dimension '{}' {}, and --dim {}={} "
             "says something else",
             name, popir::toString(shape), symbol, shape[i], symbol,
             given->second);
    }
  }

  static std::optional<Shape>
  staticShape(const onnx::TypeProto::Tensor &tensorType) {
    if (!tensorType.has_shape())
      return std::nullopt;
    Shape shape;
    for (const Dimension &dim : tensorType.shape().dim()) {
      if (!dim.has_dim_value())
        return std::nullopt;
      shape.push_back(dim.dim_value());
    }
    return shape;
  }

  void checkOptionNames() const {
    for (const auto &[name, shape] : options.inputShapes)
      if (std::find(inputNames.begin(), inputNames.end(), name) ==
          inputNames.end())
        fail(ErrorKind::Usage,
             "--input-shape: the model has no input '{}'; it has '{}'", name,
             fmt::join(inputNames, "', '"));
    for (const auto &[name, extent] : options.dims)
      if (!symbols.count(name))
        fail(ErrorKind::Usage,
             "--dim: the model has no dimension '{}'; it has {}", name,
             symbols.empty() ? std::string("none with a name")
                             : fmt::format("'{}'", fmt::join(symbols, "', '")));
  }

  onnx::GraphProto &graph;
  const ShapeOptions &options;
  std::set<std::string> initializers;
  std::vector<std::string> inputNames;
  std::set<std::string> symbols;
  std::vector<std::string> problems;
  std::vector<ModelInput> inputs;
};

} // namespace

std::vector<ModelInput> bindInputShapes(onnx::ModelProto &model,
                                        const ShapeOptions &options) {
  return Binder(model, options).run();
}

void completeOutputShapes(onnx::ModelProto &model) {
  for (onnx::ValueInfoProto &output : *model.mutable_graph()->mutable_output())
    if (output.type().has_tensor_type())
      output.mutable_type()->mutable_tensor_type()->mutable_shape();
}

void forgetDerivedShapes(onnx::ModelProto &model) {
  onnx::GraphProto &graph = *model.mutable_graph();
  graph.clear_value_info();
  for (onnx::ValueInfoProto &output : *graph.mutable_output())
    if (output.type().has_tensor_type())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
}

} // namespace populus::popir
