// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An input becomes a constant by an initializer of its name. Its value has the
// type that the model gives the input, and a shape that fits.

#include "lib/PopART/Import/FixedInputs.h"

#include "lib/PopART/IR/HostTensor.h"
#include "lib/PopART/Import/NpyFile.h"
#include "lib/PopART/Import/TensorData.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace populus::popir {

namespace {

bool isInitializer(const onnx::ModelProto &model, const std::string &name) {
  return std::ranges::any_of(model.graph().initializer(),
                             [&](const auto &t) { return t.name() == name; });
}

const onnx::ValueInfoProto &findInput(const onnx::ModelProto &model,
                                      const std::string &name) {
  for (const onnx::ValueInfoProto &input : model.graph().input())
    if (input.name() == name && !isInitializer(model, name))
      return input;
  fail(ErrorKind::Usage,
       "--fix-input: the model has no input '{}'; it has '{}'", name,
       fmt::join(namesOfInputs(model), "', '"));
}

onnx::TensorProto readProto(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  onnx::TensorProto tensor;
  if (!file || !tensor.ParseFromIstream(&file))
    failInput("{}: cannot be read as a tensor of ONNX", path.string());
  return tensor;
}

onnx::TensorProto toProto(const HostTensor &tensor) {
  onnx::TensorProto proto;
  proto.set_data_type(toOnnx(tensor.type()));
  for (std::int64_t extent : tensor.shape())
    proto.add_dims(extent);
  proto.set_raw_data(tensor.bytes().data(), tensor.bytes().size());
  return proto;
}

DataType typeOf(const onnx::ValueInfoProto &input) {
  const std::optional<DataType> type =
      fromOnnx(input.type().tensor_type().elem_type());
  if (!type || storedBits(*type) < 8)
    failUnsupported("--fix-input: input '{}' has a type that no value can be "
                    "given for",
                    input.name());
  return *type;
}

/// "3", "1,2,3", "true": a number as it is, several as a list.
std::optional<HostTensor> parseNumbers(const onnx::ValueInfoProto &input,
                                       const std::string &text) {
  std::vector<double> values;
  for (std::size_t begin = 0, end = 0; end != std::string::npos;
       begin = end + 1) {
    end = text.find(',', begin);
    const std::string word = text.substr(begin, end - begin);
    double value = word == "true" ? 1 : 0;
    if (word != "true" && word != "false") {
      auto [rest, error] =
          std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc() || rest != word.data() + word.size())
        return std::nullopt;
    }
    values.push_back(value);
  }
  Shape shape = {static_cast<std::int64_t>(values.size())};
  const auto &type = input.type().tensor_type();
  if (type.has_shape() && type.shape().dim_size() == 0 && values.size() == 1)
    shape.clear();
  HostTensor result({DataType::Double, shape});
  std::ranges::copy(values, result.as<double>().begin());
  HostTensor converted = result.convertedTo(typeOf(input));
  if (converted.toDoubles() != values)
    fail(ErrorKind::Usage, "--fix-input {}={}: {} does not hold these numbers",
         input.name(), text, name(converted.type()));
  return converted;
}

/// One that the model says, or one of as many elements where it is given as a
/// list.
void checkShape(const onnx::ValueInfoProto &input, onnx::TensorProto &value) {
  const auto &type = input.type().tensor_type();
  if (value.data_type() == onnx::TensorProto::UINT16 &&
      type.elem_type() == onnx::TensorProto::BFLOAT16)
    value.set_data_type(type.elem_type()); // as arrays of NumPy hold it
  if (value.data_type() != type.elem_type())
    failInput("input '{}' is of type {}, and its value of {}", input.name(),
              onnx::TensorProto_DataType_Name(type.elem_type()),
              onnx::TensorProto_DataType_Name(value.data_type()));
  if (!type.has_shape())
    return;
  bool fits = type.shape().dim_size() == value.dims_size();
  for (int i = 0; fits && i != value.dims_size(); ++i)
    fits = !type.shape().dim(i).has_dim_value() ||
           type.shape().dim(i).dim_value() == value.dims(i);
  if (!fits)
    failInput("input '{}' has another shape in the model than its value has, "
              "which is {}",
              input.name(),
              toString(Shape(value.dims().begin(), value.dims().end())));
}

void addConstant(onnx::ModelProto &model, const onnx::ValueInfoProto &input,
                 onnx::TensorProto value) {
  checkShape(input, value);
  value.set_name(input.name());
  *model.mutable_graph()->add_initializer() = std::move(value);
}

onnx::TensorProto readValue(const onnx::ValueInfoProto &input,
                            const std::string &text) {
  if (text.ends_with(".pb"))
    return readProto(text);
  if (text.ends_with(".npy"))
    return toProto(readNpy(text));
  std::optional<HostTensor> numbers = parseNumbers(input, text);
  if (!numbers)
    fail(ErrorKind::Usage,
         "--fix-input {}={}: that is neither a file (.pb or .npy) nor numbers "
         "between commas",
         input.name(), text);
  return toProto(*numbers);
}

} // namespace

std::vector<std::string> namesOfInputs(const onnx::ModelProto &model) {
  std::vector<std::string> names;
  for (const onnx::ValueInfoProto &input : model.graph().input())
    if (!isInitializer(model, input.name()))
      names.push_back(input.name());
  return names;
}

void fixInputs(onnx::ModelProto &model, const FixedInputs &fixed) {
  for (const auto &[name, text] : fixed.values) {
    const onnx::ValueInfoProto &input = findInput(model, name);
    addConstant(model, input, readValue(input, text));
  }
  if (!fixed.folder.empty() && !std::filesystem::is_directory(fixed.folder))
    failInput("{}: no such folder; --fix-inputs takes one with input_0.pb, "
              "input_1.pb, …",
              fixed.folder);
}

std::optional<HostTensor> valueInFolder(const onnx::ModelProto &model,
                                        const FixedInputs &fixed,
                                        const std::vector<std::string> &names,
                                        const std::string &input) {
  const auto place = std::ranges::find(names, input);
  if (fixed.folder.empty() || place == names.end())
    return std::nullopt;
  const std::filesystem::path path =
      std::filesystem::path(fixed.folder) /
      fmt::format("input_{}.pb", place - names.begin());
  if (!std::filesystem::exists(path))
    return std::nullopt;
  onnx::TensorProto value = readProto(path);
  checkShape(findInput(model, input), value);
  return importTensor(value);
}

UnknownValue withAdvice(const UnknownValue &error) {
  if (error.inputs().empty()) // it comes from what a loop computes
    return error;
  return {error.kind(),
          fmt::format("{}; --fix-input NAME=FILE|VALUE makes an input a "
                      "constant: '{}'",
                      error.what(), fmt::join(error.inputs(), "', '")),
          error.inputs()};
}

} // namespace populus::popir
