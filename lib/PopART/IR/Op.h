// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of all operators. An operator lives in one file of lib/PopART/Ops,
// which holds all that is particular to it: the versions it implements, its
// attributes, the types and shapes of its results, its value on constants, and
// how it is lowered onto PopLibs.

#ifndef POPULUS_LIB_POPART_IR_OP_H
#define POPULUS_LIB_POPART_IR_OP_H

#include "lib/PopART/IR/Attributes.h"
#include "lib/PopART/IR/Graph.h"

#include <optional>

namespace poplar {
class Tensor;
}

namespace popart {

class Lowering;

/// Domain, type, and the opset in which this form of the operator appeared:
/// ("", "Relu", 13). The empty domain is ONNX's own.
struct OperatorId {
  std::string domain;
  std::string type;
  int version = 0;

  bool operator==(const OperatorId &) const = default;
};

/// "Relu-13"; with the domain in front where it is not ONNX's own.
std::string toString(const OperatorId &id);

/// What the model says about one node, without its edges.
struct OpSpec {
  OperatorId id;
  std::string name;
  Attributes attributes;
  std::size_t numInputs = 0;
  std::size_t numOutputs = 1;
};

/// An UnknownValue Error: the value of the tensor has to be known, and is not.
[[noreturn]] void failUnknown(const Tensor &tensor, const std::string &text);

class Op {
public:
  explicit Op(OpSpec spec);
  virtual ~Op();

  const OpSpec &spec() const { return opSpec; }
  const OperatorId &id() const { return opSpec.id; }
  int version() const { return opSpec.id.version; }
  const std::string &name() const { return opSpec.name; }
  const Attributes &attributes() const { return opSpec.attributes; }
  void setAttribute(std::string name, AttributeValue value) {
    opSpec.attributes.set(std::move(name), std::move(value));
  }

  const std::vector<Tensor *> &inputs() const { return inputTensors; }
  const std::vector<Tensor *> &outputs() const { return outputTensors; }

  bool hasInput(std::size_t index) const {
    return index < inputTensors.size() && inputTensors[index];
  }
  bool hasOutput(std::size_t index) const {
    return index < outputTensors.size() && outputTensors[index];
  }
  const Tensor &input(std::size_t index) const;
  const Tensor &output(std::size_t index = 0) const;
  const Shape &inputShape(std::size_t index) const {
    return input(index).info.shape;
  }
  /// The value of an input that has to be known when the model is compiled;
  /// `role` names it in the Error: "shape".
  const HostTensor &constantInput(std::size_t index,
                                  std::string_view role) const;

  /// Types and shapes of the outputs, from those of the inputs. An Error where
  /// the inputs do not fit.
  virtual std::vector<TensorInfo> infer() const = 0;

  /// The values of the outputs where all inputs are constants; nothing where
  /// the operator is computed only on the device.
  virtual std::optional<std::vector<HostTensor>> evaluate() const {
    return std::nullopt;
  }

  /// False where evaluate() looks at the shapes of the inputs only.
  virtual bool needsInputValues() const { return true; }

  /// Adds the operator to the tile program.
  virtual void lower(Lowering &lowering) const = 0;

  /// Makes the variable for an input that is a weight or an input of the graph,
  /// in the layout that suits the operator; an invalid tensor where it has no
  /// wish.
  virtual poplar::Tensor createInput(Lowering &lowering,
                                     std::size_t index) const;

  /// True for a constant input that only the compiler reads, at full precision.
  virtual bool readsOnHost(std::size_t) const { return false; }

  /// True for an input whose values, such as numbers that become indices or
  /// coordinates, lose too much in float16.
  virtual bool needsFloat32(std::size_t) const { return false; }

  /// True where another value of a constant input would make other code, so
  /// that it cannot be an argument of a function.
  virtual bool dependsOnValue(std::size_t index) const;

  /// How much code the operator becomes, in the unit of
  /// OutlineOptions::threshold: 1 for what has products of matrices.
  virtual double codeValue() const { return 0.1; }

  /// The graph that the operator runs, where it calls one.
  virtual const Graph *callee() const { return nullptr; }

  /// False for operators that exist only on constants, such as Shape.
  virtual bool runsOnDevice() const { return true; }

  /// True where output 0 lies in memory that no other tensor of the IR shares,
  /// so that its only reader may overwrite it. False for views.
  virtual bool ownsResult() const { return false; }

  /// True where the results of two operators that agree differ, as those of
  /// random numbers do.
  virtual bool isStateful() const { return false; }

  /// True where it does something even if nobody reads its results.
  virtual bool hasEffect() const { return false; }

  /// True where output 0 is input 0, unchanged.
  virtual bool isIdentity() const { return false; }

  // Errors about this operator: they name it and say `text`.
  [[noreturn]] void failInput(const std::string &text) const;
  [[noreturn]] void failUnsupported(const std::string &text) const;
  /// `Conv-11 'conv1'`.
  std::string describe() const;

private:
  friend class Graph;

  OpSpec opSpec;
  std::vector<Tensor *> inputTensors;
  std::vector<Tensor *> outputTensors;
};

} // namespace popart

#endif
