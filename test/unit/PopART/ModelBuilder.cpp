// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction of ONNX protobufs, and the way from there to an Engine.

#include "test/unit/PopART/ModelBuilder.h"

#include "lib/PopART/Lowering/Lowering.h"

#include <gtest/gtest.h>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <random>

namespace populus::popir::test {

static std::size_t flatIndex(const Shape &shape,
                             const std::vector<std::int64_t> &index) {
  std::size_t flat = 0;
  for (std::size_t i = 0; i != shape.size(); ++i)
    flat = flat * shape[i] + index[i];
  return flat;
}

double &Array::operator()(const std::vector<std::int64_t> &index) {
  return values.at(flatIndex(shape, index));
}

double Array::operator()(const std::vector<std::int64_t> &index) const {
  return values.at(flatIndex(shape, index));
}

Array randomArray(Shape shape, unsigned seed, double limit) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-limit, limit);
  Array result{shape, std::vector<double>(numElements(shape))};
  for (double &value : result.values)
    value = distribution(generator);
  return result;
}

Attr::Attr(std::string name, std::int64_t value) {
  proto.set_name(name);
  proto.set_type(onnx::AttributeProto::INT);
  proto.set_i(value);
}

Attr::Attr(std::string name, float value) {
  proto.set_name(name);
  proto.set_type(onnx::AttributeProto::FLOAT);
  proto.set_f(value);
}

Attr::Attr(std::string name, const char *value) {
  proto.set_name(name);
  proto.set_type(onnx::AttributeProto::STRING);
  proto.set_s(value);
}

Attr::Attr(std::string name, std::vector<std::int64_t> values) {
  proto.set_name(name);
  proto.set_type(onnx::AttributeProto::INTS);
  for (std::int64_t value : values)
    proto.add_ints(value);
}

ModelBuilder::ModelBuilder(int opset) {
  model.set_ir_version(7);
  model.mutable_graph()->set_name("test");
  model.add_opset_import()->set_version(opset);
}

ModelBuilder &ModelBuilder::input(const std::string &name, const Shape &shape,
                                  int type) {
  onnx::ValueInfoProto &input = *model.mutable_graph()->add_input();
  input.set_name(name);
  auto &tensor = *input.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape();
  for (std::int64_t extent : shape)
    tensor.mutable_shape()->add_dim()->set_dim_value(extent);
  return *this;
}

ModelBuilder &
ModelBuilder::symbolicInput(const std::string &name,
                            const std::vector<std::string> &dims) {
  input(name, {});
  auto &shape = *model.mutable_graph()
                     ->mutable_input(model.graph().input_size() - 1)
                     ->mutable_type()
                     ->mutable_tensor_type()
                     ->mutable_shape();
  for (const std::string &dim : dims) {
    if (std::isdigit(static_cast<unsigned char>(dim[0])))
      shape.add_dim()->set_dim_value(std::stoll(dim));
    else
      shape.add_dim()->set_dim_param(dim);
  }
  return *this;
}

ModelBuilder &ModelBuilder::weight(const std::string &name,
                                   const Array &value) {
  onnx::TensorProto &tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (std::int64_t extent : value.shape)
    tensor.add_dims(extent);
  for (double element : value.values)
    tensor.add_float_data(static_cast<float>(element));
  return *this;
}

ModelBuilder &ModelBuilder::ints(const std::string &name,
                                 const std::vector<std::int64_t> &values) {
  onnx::TensorProto &tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(values.size());
  for (std::int64_t value : values)
    tensor.add_int64_data(value);
  return *this;
}

ModelBuilder &ModelBuilder::node(const std::string &type,
                                 const std::vector<std::string> &inputs,
                                 const std::vector<std::string> &outputs,
                                 const std::vector<Attr> &attributes) {
  onnx::NodeProto &node = *model.mutable_graph()->add_node();
  node.set_op_type(type);
  node.set_name("the " + type);
  for (const std::string &name : inputs)
    node.add_input(name);
  for (const std::string &name : outputs)
    node.add_output(name);
  for (const Attr &attribute : attributes)
    *node.add_attribute() = attribute.proto;
  return *this;
}

ModelBuilder &ModelBuilder::output(const std::string &name, int type) {
  onnx::ValueInfoProto &output = *model.mutable_graph()->add_output();
  output.set_name(name);
  output.mutable_type()->mutable_tensor_type()->set_elem_type(type);
  return *this;
}

std::size_t runPass(Module &module, const std::string &name,
                    const PassOptions &options) {
  return findPass(name)->run(module, options);
}

std::vector<std::string> typesAfter(Module &module,
                                    const std::string &patterns) {
  Pipeline pipeline;
  pipeline.patterns.apply(patterns);
  pipeline.patterns.apply("-SubgraphOutline,-ElementwiseFusion");
  runPipeline(module, pipeline);
  std::vector<std::string> types;
  for (const Op *op : module.main().ops())
    types.push_back(op->id().type);
  return types;
}

std::map<std::string, Array> run(const onnx::ModelProto &model,
                                 const std::map<std::string, Array> &inputs,
                                 const MachineOptions &machine,
                                 const std::string &patterns,
                                 const PassOptions &outlining) {
  return run(*importModel(model), inputs, machine, patterns, outlining);
}

std::map<std::string, Array> run(Module &module,
                                 const std::map<std::string, Array> &inputs,
                                 const MachineOptions &machine,
                                 const std::string &patterns,
                                 const PassOptions &outlining) {
  Pipeline pipeline;
  pipeline.patterns.apply(patterns);
  pipeline.options = outlining;
  pipeline.options.numIpus = machine.numIpus;
  runPipeline(module, pipeline);
  TileProgram program =
      lowerModule(module, makeTarget(machine), ProgramOptions());
  poplar::Engine engine(compileProgram(program));
  engine.load(makeDevice(machine));

  // Buffers hold elements as the device does.
  std::map<std::string, HostTensor> buffers;
  for (const StreamInfo &stream : program.inputs) {
    const Array &value = inputs.at(stream.name);
    if (value.shape != stream.info.shape)
      throw std::runtime_error(stream.name + " is given another shape");
    HostTensor elements({DataType::Double, value.shape});
    std::ranges::copy(value.values, elements.as<double>().begin());
    buffers[stream.name] =
        elements.convertedTo(deviceDataType(stream.info.type));
  }
  for (const StreamInfo &stream : program.outputs)
    buffers[stream.name] =
        HostTensor({deviceDataType(stream.info.type), stream.info.shape});
  for (auto &[name, buffer] : buffers)
    engine.connectStream(name, buffer.bytes().data(),
                         buffer.bytes().data() + buffer.bytes().size());
  engine.run(0);

  std::map<std::string, Array> results;
  for (const StreamInfo &stream : program.outputs)
    results[stream.name] = {stream.info.shape,
                            buffers[stream.name].toDoubles()};
  return results;
}

std::vector<Array> runGraphcoreResults(const std::string &type,
                                       const std::vector<Operand> &operands,
                                       const std::vector<int> &resultTypes,
                                       const std::vector<Attr> &attributes,
                                       const MachineOptions &machine) {
  ModelBuilder m;
  onnx::OperatorSetIdProto &import = *m.model.add_opset_import();
  import.set_domain("ai.graphcore");
  import.set_version(1);
  std::vector<std::string> names, results;
  std::map<std::string, Array> values;
  for (const Operand &operand : operands) {
    names.push_back('x' + std::to_string(names.size()));
    m.input(names.back(), operand.value.shape, operand.type);
    values[names.back()] = operand.value;
  }
  for (int resultType : resultTypes) {
    results.push_back('y' + std::to_string(results.size()));
    m.output(results.back(), resultType);
  }
  m.node(type, names, results, attributes);
  m.model.mutable_graph()->mutable_node(0)->set_domain("ai.graphcore");
  std::map<std::string, Array> found = run(m.model, values, machine);
  std::vector<Array> arrays;
  for (const std::string &result : results)
    arrays.push_back(found.at(result));
  return arrays;
}

Array runGraphcore(const std::string &type,
                   const std::vector<Operand> &operands,
                   const std::vector<Attr> &attributes,
                   const MachineOptions &machine) {
  return runGraphcoreResults(type, operands, {onnx::TensorProto::FLOAT},
                             attributes, machine)
      .front();
}

void expectClose(const Array &found, const Array &wanted, double tolerance) {
  ASSERT_EQ(found.shape, wanted.shape);
  ASSERT_EQ(found.values.size(), wanted.values.size());
  for (std::size_t i = 0; i != found.values.size(); ++i) {
    double a = found.values[i], b = wanted.values[i];
    bool isSame = a == b || (std::isnan(a) && std::isnan(b)); // or infinite
    ASSERT_TRUE(isSame || std::abs(a - b) <= tolerance * (1 + std::abs(b)))
        << "element " << i << " is " << a << ", not " << b;
  }
}

} // namespace populus::popir::test
