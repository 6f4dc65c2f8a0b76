// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that the import replaces by others. Each is a function that makes
// the operators of its results; shapes and types are known to it, and so are
// values of constants. The families have a file each in Decompositions/. A
// static RegisterDecomposition lists name and versions, as RegisterOp does for
// operators with a class.

#ifndef POPULUS_LIB_POPART_IMPORT_DECOMPOSITION_H
#define POPULUS_LIB_POPART_IMPORT_DECOMPOSITION_H

#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/OpTable.h"

#include <string>
#include <vector>

namespace populus::popir {

class BodyImporter;

/// A node that is being replaced, and the operators that replace it.
class Expansion : public OpBuilder {
public:
  Expansion(BodyImporter &importer, OpSpec spec, std::vector<Value *> inputs)
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
  Value &input(std::size_t index) const;
  const Shape &shape(std::size_t index) const {
    return input(index).info.shape;
  }
  DataType type(std::size_t index) const { return input(index).info.type; }
  /// The value of an input that has to be known when the model is compiled.
  const HostTensor &constantInput(std::size_t index,
                                  std::string_view role) const;

  /// An operator with the attributes of the node.
  Value &sameAttributes(const std::string &type, std::vector<Value *> inputs) {
    return opLike(type, std::move(inputs), nodeSpec.attributes);
  }

  /// The same with several results.
  std::vector<Value *> sameAttributes(const std::string &type,
                                      std::vector<Value *> inputs,
                                      std::size_t count) {
    return make({"", type}, std::move(inputs), nodeSpec.attributes, count);
  }

  /// An axis in [-rank, rank) as one in [0, rank).
  std::int64_t normalAxis(std::int64_t axis, std::int64_t rank) const;

  [[noreturn]] void failInput(const std::string &text) const;
  [[noreturn]] void failUnsupported(const std::string &text) const;

private:
  std::vector<Value *> make(OperatorId id, std::vector<Value *> inputs,
                            Attributes attributes, std::size_t count) override;
  Value &makeConstant(HostTensor value) override;
  std::string describe() const;

  BodyImporter &importer;
  OpSpec nodeSpec;
  std::vector<Value *> inputTensors;
};

/// Makes the operators and returns the results, as many as it has; null where
/// there is none. Of an operator that has a class, too, a decomposition takes
/// the forms that the class does not, and returns nothing for others.
using Expand = std::vector<Value *> (*)(Expansion &expansion);

struct Decomposition {
  OpDefinition definition; // without a class
  Expand expand = nullptr;
};

/// The one for exactly this operator, or null.
const Decomposition *findDecomposition(const OperatorId &id);
/// The newest version of an operator up to an opset of its domain; 0 where
/// there is none.
int newestDecomposition(const OperatorId &id, int opset);
std::vector<const Decomposition *> allDecompositions();

class RegisterDecomposition {
public:
  RegisterDecomposition(std::string type, std::vector<int> versions,
                        Expand expand, std::string domain = {});
};

} // namespace populus::popir

#endif
