// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registry of operators that programs define. Static OpCreator objects register
// an operator when a program or shared library is loaded.

#ifndef POPULUS_INCLUDE_POPART_OPMANAGER_HPP
#define POPULUS_INCLUDE_POPART_OPMANAGER_HPP

#include <popart/attributes.hpp>
#include <popart/datatype.hpp>
#include <popart/op.hpp>
#include <popart/operatoridentifier.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace popart {

/// The operands, results and attributes that an operator accepts.
class OpDefinition {
public:
  using DataTypes = std::vector<DataType>;

  struct Input {
    Input(const std::string &name, const DataTypes &types,
          bool constant = false)
        : name(name), supportedTensors(types), constant(constant) {}
    std::string name;
    DataTypes supportedTensors;
    bool constant;
  };
  struct Output {
    Output(const std::string &name, const DataTypes &types)
        : name(name), supportedTensors(types) {}
    std::string name;
    DataTypes supportedTensors;
  };
  /// A pattern of values; "*": all.
  struct Attribute {
    Attribute(const std::string &values) : supportedValuesRegex(values) {}
    Attribute(const char *values) : supportedValuesRegex(values) {}
    std::string supportedValuesRegex;
  };

  using Inputs = std::vector<Input>;
  using Outputs = std::vector<Output>;
  using Attributes = std::map<std::string, Attribute>;

  OpDefinition() {}
  OpDefinition(const Inputs &inputs, const Outputs &outputs,
               const Attributes &attributes)
      : inputs(inputs), outputs(outputs), attributes(attributes) {}

  Inputs inputs;
  Outputs outputs;
  Attributes attributes;
};

class OpDefinitions {
public:
  OpDefinitions() {}
  OpDefinitions(
      std::initializer_list<std::pair<OperatorIdentifier, OpDefinition>> list)
      : definitions(list) {}
  const std::vector<std::pair<OperatorIdentifier, OpDefinition>> &list() const {
    return definitions;
  }

private:
  std::vector<std::pair<OperatorIdentifier, OpDefinition>> definitions;
};

/// The arguments from which an operator's factory function makes it.
class OpCreatorInfo {
public:
  OpCreatorInfo(const OperatorIdentifier &opid, const Op::Settings &settings,
                const Attributes &attributes,
                const std::vector<Tensor *> &inputs,
                const std::vector<TensorId> &outputs)
      : opid(opid), settings(settings), attributes(attributes), inputs(inputs),
        outputs(outputs) {}

  const OperatorIdentifier &opid;
  const Op::Settings &settings;
  const Attributes &attributes;

  bool hasInputIds() const { return !inputs.empty(); }
  std::vector<TensorId> getInputIds() const;
  bool hasOutputIds() const { return !outputs.empty(); }
  const std::vector<TensorId> &getOutputIds() const { return outputs; }
  bool hasInputTensor(int index) const;
  Tensor *getInputTensor(int index) const;
  const TensorInfo &getInputTensorInfo(int index) const {
    return getInputTensor(index)->info;
  }
  TensorData *getInputTensorData(int index) const;
  /// The elements of a constant operand.
  template <class T> std::vector<T> getInputData(int index) const {
    const Tensor &tensor = *getInputTensor(index);
    return getInputTensorData(index)->template copyDataAs<T>(
        static_cast<int>(tensor.info.nelms()));
  }
  template <class T>
  std::vector<T> getInputData(int index, const std::set<DataType> &) const {
    return getInputData<T>(index);
  }
  template <class T> T getInputScalarValue(int index) const {
    return getInputData<T>(index).at(0);
  }
  template <class T> T getInputScalarValue(int index, T defaultValue) const {
    return hasInputTensor(index) ? getInputScalarValue<T>(index) : defaultValue;
  }

private:
  const std::vector<Tensor *> &inputs;
  const std::vector<TensorId> &outputs;
};

class OpManager {
public:
  using OpFactoryFunc =
      std::function<std::unique_ptr<Op>(const OpCreatorInfo &)>;

  static void registerOp(const OperatorIdentifier &opid,
                         const OpDefinition &definition, bool isPublic,
                         const OpFactoryFunc &factory);

  /// Creates an operator without operands, of a program or of PopART. An
  /// unknown name is an error.
  static std::unique_ptr<Op> createOp(const OperatorIdentifier &opid,
                                      Graph &graph,
                                      const std::string &name = "",
                                      const Attributes &attributes = {});
  static Op *createOpInGraph(const OperatorIdentifier &opid, Graph &graph,
                             const std::string &name = "",
                             const Attributes &attributes = {}) {
    return graph.getOp(
        graph.moveIntoGraph(createOp(opid, graph, name, attributes)));
  }
};

namespace popart_detail {

template <class OP> struct DefaultFactory {
  std::unique_ptr<Op> operator()(const OpCreatorInfo &info) const {
    return std::unique_ptr<Op>(new OP(info.opid, info.settings));
  }
};

} // namespace popart_detail

template <class OP> class OpCreator {
public:
  explicit OpCreator(const OpDefinitions &definitions) {
    add(definitions, true, popart_detail::DefaultFactory<OP>());
  }
  /// Accepts bool only, because functions convert to bool as well.
  template <class Bool, class = typename std::enable_if<
                            std::is_same<Bool, bool>::value>::type>
  OpCreator(const OpDefinitions &definitions, Bool isPublic) {
    add(definitions, isPublic, popart_detail::DefaultFactory<OP>());
  }
  OpCreator(const OpDefinitions &definitions,
            const OpManager::OpFactoryFunc &factory, bool isPublic = true) {
    add(definitions, isPublic, factory);
  }
  /// The older form of the function.
  OpCreator(const OpDefinitions &definitions,
            const std::function<std::unique_ptr<Op>(
                const OperatorIdentifier &, const Op::Settings &,
                const Attributes &)> &factory,
            bool isPublic = true) {
    add(definitions, isPublic, [factory](const OpCreatorInfo &info) {
      return factory(info.opid, info.settings, info.attributes);
    });
  }

private:
  static void add(const OpDefinitions &definitions, bool isPublic,
                  const OpManager::OpFactoryFunc &factory) {
    for (const auto &item : definitions.list())
      OpManager::registerOp(item.first, item.second, isPublic, factory);
  }
};

} // namespace popart

#endif
