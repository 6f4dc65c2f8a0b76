// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base class of all operators. An operator has a kind (a row of OpTable.h),
// attributes, operands, results, a placement, and perhaps graphs: callees of
// the module, and bodies of its own. Each kind is a derived class in a file of
// lib/PopART/Ops. It implements shape inference, constant folding, memory
// effects, gradients, and lowering (DeviceOp).

#ifndef POPULUS_LIB_POPART_IR_OP_H
#define POPULUS_LIB_POPART_IR_OP_H

#include "lib/PopART/IR/Attributes.h"
#include "lib/PopART/IR/Placement.h"
#include "lib/PopART/IR/Value.h"

#include <optional>

namespace populus::popir {

class GraphBuilder;
class Gradients;
struct OpDefinition;

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

/// An operator without its edges.
struct OpSpec {
  OperatorId id;
  std::string name;
  Attributes attributes;
  std::size_t numInputs = 0;
  std::size_t numOutputs = 1;
  Placement placement = {};
};

/// The effect of an operator on the memory of an operand.
struct OperandEffect {
  bool reads = true;
  bool modifies = false;
};

/// Throws an UnknownValue Error: the tensor has to be a constant, and is not.
[[noreturn]] void failUnknown(const Value &tensor, const std::string &text);

/// True if the value is a constant of zeros, or an Expand of one.
bool isZeros(const Value &value);

class Op {
public:
  explicit Op(OpSpec spec);
  virtual ~Op();
  Op(const Op &) = delete;
  Op &operator=(const Op &) = delete;

  const OpSpec &spec() const { return opSpec; }
  const OperatorId &id() const { return opSpec.id; }
  int version() const { return opSpec.id.version; }
  const std::string &name() const { return opSpec.name; }
  void setName(std::string name) { opSpec.name = std::move(name); }
  const Attributes &attributes() const { return opSpec.attributes; }
  void setAttribute(std::string name, AttributeValue value) {
    opSpec.attributes.set(std::move(name), std::move(value));
  }
  const Placement &placement() const { return opSpec.placement; }
  Placement &placement() { return opSpec.placement; }

  /// Null for an operator that is in no graph.
  Graph *graph() const { return parent; }
  /// True if the operator precedes another one of its graph.
  bool isBefore(const Op &other) const;

  /// Omitted operands are null.
  const std::vector<Value *> &inputs() const { return operands; }
  /// Omitted results are null.
  const std::vector<Value *> &outputs() const { return results; }

  bool hasInput(std::size_t index) const {
    return index < operands.size() && operands[index];
  }
  bool hasOutput(std::size_t index) const {
    return index < results.size() && results[index];
  }
  const Value &input(std::size_t index) const;
  const Value &output(std::size_t index = 0) const;
  const Shape &inputShape(std::size_t index) const {
    return input(index).info.shape;
  }
  /// The value of an input that has to be known when the model is compiled;
  /// `role` names it in the Error: "shape".
  const HostTensor &constantInput(std::size_t index,
                                  std::string_view role) const;

  /// The graphs of the module that the operator calls.
  const std::vector<Graph *> &callees() const { return calledGraphs; }
  void setCallees(std::vector<Graph *> graphs) {
    calledGraphs = std::move(graphs);
  }
  /// Graphs owned by the operator. They see no values of the graph around it.
  const std::vector<std::unique_ptr<Graph>> &bodies() const {
    return ownGraphs;
  }
  Graph &addBody(std::unique_ptr<Graph> body);

  /// Control dependences: operators that have to run before this one, beyond
  /// dependences through values or memory.
  const std::vector<Op *> &runsAfter() const { return predecessors; }

  /// The operand in whose memory result 0 is computed, if any (pass InPlace).
  std::optional<std::size_t> inPlace() const { return inPlaceOperand; }
  void setInPlace(std::optional<std::size_t> operand) {
    inPlaceOperand = operand;
  }

  /// An operator like this one without edges, bodies included.
  std::unique_ptr<Op> clone() const;

  /// Types and shapes of the outputs, from those of the inputs. An Error where
  /// the inputs do not fit.
  virtual std::vector<TensorInfo> infer() const = 0;

  /// The values of the outputs where all inputs are constants; nothing where
  /// the operator is computed only on the device.
  virtual std::optional<std::vector<HostTensor>> evaluate() const {
    return std::nullopt;
  }

  /// Before differentiation, expands the operator into differentiable ones and
  /// returns the values that replace the results. Most operators return
  /// nothing and stay as they are.
  virtual std::vector<Value *> trainingForm(GraphBuilder &) const { return {}; }

  /// Adds the gradients of the wanted operands, given those of the results. A
  /// gradient of zero is declared with Gradients::end. The default is an Error:
  /// the operator has no gradient yet.
  virtual void differentiate(Gradients &gradients) const;

  /// False where evaluate() looks at the shapes of the inputs only.
  virtual bool needsInputValues() const { return true; }

  /// True for a constant input that only the compiler reads, at full precision.
  virtual bool readsOnHost(std::size_t) const { return false; }

  /// True for an input whose values, such as numbers that become indices or
  /// coordinates, lose too much in float16.
  virtual bool needsFloat32(std::size_t) const { return false; }

  /// True if the code generated depends on the value of a constant input; such
  /// an input cannot be an argument of an outlined function.
  virtual bool dependsOnValue(std::size_t index) const;

  /// Estimated code size in the unit of PassOptions::outlineThreshold; 1 for
  /// operators with matrix products.
  virtual double codeValue() const { return 0.1; }

  /// False for operators that exist only on constants, such as Shape.
  virtual bool runsOnDevice() const { return true; }

  /// True where each element of output 0 is computed from one element of each
  /// input, with NumPy's broadcasting.
  virtual bool isElementwise() const { return false; }
  /// True for a constant input that becomes part of the code.
  virtual bool embedsConstant(std::size_t) const { return false; }

  /// True where output 0 lies in memory that no other value shares, unless it
  /// is computed in place. False for views.
  virtual bool ownsResult() const { return false; }

  /// True if result 0 can be computed in the memory of an operand.
  virtual bool canComputeInPlace(std::size_t) const { return false; }

  /// The memory effect of the operator on an operand.
  virtual OperandEffect effect(std::size_t operand) const {
    return {true, inPlaceOperand == operand};
  }
  /// True if a result may alias an operand, in part or as a whole.
  virtual bool mayAlias(std::size_t result, std::size_t operand) const;

  /// True if two identical operators may give different results, as random
  /// number generators do.
  virtual bool isStateful() const { return false; }

  /// True if the operator has to run even if its results are unused.
  virtual bool hasEffect() const { return false; }

  /// True where output 0 is input 0, unchanged.
  virtual bool isIdentity() const { return false; }

  // Errors about this operator: they name it and say `text`.
  [[noreturn]] void failInput(const std::string &text) const;
  [[noreturn]] void failUnsupported(const std::string &text) const;
  /// `Conv-11 'conv1'`.
  std::string describe() const;

protected:
  /// An operator of the same kind, as the table of operators makes it.
  virtual std::unique_ptr<Op> remake(OpSpec spec) const;

private:
  friend class Graph;
  friend class OpList;

  OpSpec opSpec;
  std::vector<Value *> operands;
  /// By operand, its place in the uses of the value.
  std::vector<std::uint32_t> usePlaces;
  std::vector<Value *> results;
  std::vector<Graph *> calledGraphs;
  std::vector<std::unique_ptr<Graph>> ownGraphs;
  std::vector<Op *> predecessors, successors;
  std::optional<std::size_t> inPlaceOperand;

  Graph *parent = nullptr;
  Op *previous = nullptr;
  Op *next = nullptr;
  /// Grows along the graph where it is valid (OpList).
  std::uint64_t order = 0;
};

} // namespace populus::popir

#endif
