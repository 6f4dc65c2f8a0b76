// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that the import replaces by others. Each is a function that makes
// the operators of its results; shapes and types are known to it, and so are
// values of constants. The families have a file each in Decompositions/. A
// static RegisterDecomposition lists name and versions, as RegisterOp does for
// operators with a class.

#ifndef POPULUS_LIB_POPART_IMPORT_DECOMPOSITION_H
#define POPULUS_LIB_POPART_IMPORT_DECOMPOSITION_H

#include "lib/PopART/Ops/Registry.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace popart {

class BodyImporter;

/// A node that is being replaced, and the operators that replace it.
class Expansion {
public:
  Expansion(BodyImporter &importer, OpSpec spec, std::vector<Tensor *> inputs)
      : importer(importer), nodeSpec(std::move(spec)),
        inputTensors(std::move(inputs)) {}

  // The node.
  const OpSpec &spec() const { return nodeSpec; }
  int version() const { return nodeSpec.id.version; }
  const Attributes &attributes() const { return nodeSpec.attributes; }
  std::size_t numInputs() const { return inputTensors.size(); }
  bool hasInput(std::size_t index) const {
    return index < inputTensors.size() && inputTensors[index];
  }
  /// One that the node leaves out is an Error.
  Tensor &input(std::size_t index) const;
  const Shape &shape(std::size_t index) const {
    return input(index).info.shape;
  }
  DataType type(std::size_t index) const { return input(index).info.type; }
  /// The value of an input that has to be known when the model is compiled.
  const HostTensor &constantInput(std::size_t index,
                                  std::string_view role) const;

  // Operators. They are of the newest registered form.
  using Given = std::initializer_list<std::pair<const char *, AttributeValue>>;
  Tensor &op(const std::string &type, std::vector<Tensor *> inputs,
             Given attributes = {}, const std::string &domain = {});
  /// One with the attributes of the node.
  Tensor &sameAttributes(const std::string &type, std::vector<Tensor *> inputs);
  /// One with several results.
  std::vector<Tensor *> results(const std::string &type,
                                std::vector<Tensor *> inputs, std::size_t count,
                                Given attributes = {});
  Tensor &constant(HostTensor value);
  Tensor &scalar(DataType type, double value);
  Tensor &ints(const std::vector<std::int64_t> &values);

  // The same for operators that are in most expansions.
  Tensor &cast(Tensor &x, DataType type);
  Tensor &reshape(Tensor &x, const Shape &shape);
  Tensor &transpose(Tensor &x, const std::vector<std::int64_t> &order);
  Tensor &expand(Tensor &x, const Shape &shape);
  Tensor &unsqueeze(Tensor &x, const std::vector<std::int64_t> &axes);
  /// Elements [begin, end) of one axis.
  Tensor &slice(Tensor &x, std::int64_t axis, std::int64_t begin,
                std::int64_t end);
  Tensor &concat(std::vector<Tensor *> parts, std::int64_t axis);
  Tensor &add(Tensor &a, Tensor &b) { return op("Add", {&a, &b}); }
  Tensor &sub(Tensor &a, Tensor &b) { return op("Sub", {&a, &b}); }
  Tensor &mul(Tensor &a, Tensor &b) { return op("Mul", {&a, &b}); }
  Tensor &div(Tensor &a, Tensor &b) { return op("Div", {&a, &b}); }
  Tensor &matMul(Tensor &a, Tensor &b) { return op("MatMul", {&a, &b}); }
  /// ReduceSum, ReduceMax and others; the axes stay with the extent 1.
  Tensor &reduce(const std::string &type, Tensor &x,
                 const std::vector<std::int64_t> &axes);

  /// An axis in [-rank, rank) as one in [0, rank).
  std::int64_t normalAxis(std::int64_t axis, std::int64_t rank) const;

  [[noreturn]] void failInput(const std::string &text) const;
  [[noreturn]] void failUnsupported(const std::string &text) const;

private:
  std::string describe() const;

  BodyImporter &importer;
  OpSpec nodeSpec;
  std::vector<Tensor *> inputTensors;
};

/// Makes the operators and returns the results, as many as it has; null where
/// there is none.
using Expand = std::vector<Tensor *> (*)(Expansion &expansion);

struct Decomposition {
  OpDefinition definition; // without a class
  Expand expand = nullptr;
};

/// The one for exactly this operator, or null.
const Decomposition *findDecomposition(const OperatorId &id);
std::vector<const Decomposition *> allDecompositions();

class RegisterDecomposition {
public:
  RegisterDecomposition(std::string type, std::vector<int> versions,
                        Expand expand, std::string domain = {});
};

} // namespace popart

#endif
