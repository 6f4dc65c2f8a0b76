// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompositions: operators that the import expands to others. Each is a
// function that adds the replacing operators; it knows types, shapes, and
// values of constants. Each family has a file in Decompositions/. A static
// RegisterDecomposition lists name and versions, like RegisterOp for operators
// with a class.

#ifndef POPULUS_LIB_POPART_IMPORT_DECOMPOSITION_H
#define POPULUS_LIB_POPART_IMPORT_DECOMPOSITION_H

#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/OpTable.h"

#include <functional>
#include <string>
#include <vector>

namespace populus::popir {

class BodyImporter;

/// A node that is being replaced, and the operators that replace it.
class Expansion : public OpBuilder {
public:
  /// Results of the body that is a graph attribute of the node, for given
  /// arguments.
  using InlineBody = std::function<std::vector<Value *>(
      const std::string &attribute, const std::vector<Value *> &arguments)>;

  Expansion(BodyImporter &importer, OpSpec spec, std::vector<Value *> inputs,
            InlineBody inlineBody)
      : importer(importer), nodeSpec(std::move(spec)),
        inputTensors(std::move(inputs)), inlineBody(std::move(inlineBody)) {}

  // The node.
  const OpSpec &spec() const { return nodeSpec; }
  int version() const { return nodeSpec.id.version; }
  const Attributes &attributes() const { return nodeSpec.attributes; }
  std::size_t numInputs() const { return inputTensors.size(); }
  bool hasInput(std::size_t index) const {
    return index < inputTensors.size() && inputTensors[index];
  }
  /// Throws an Error if the node omits the input.
  Value &input(std::size_t index) const;
  const Shape &shape(std::size_t index) const {
    return input(index).info.shape;
  }
  DataType type(std::size_t index) const { return input(index).info.type; }
  /// The value of an input that has to be known at compile time.
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

  /// The results of a graph attribute; nothing if the node does not have it.
  std::vector<Value *> body(const std::string &attribute,
                            const std::vector<Value *> &arguments) {
    return inlineBody(attribute, arguments);
  }

  /// Builds one round of a loop from the values that it carries and those that
  /// do not change. The first result tells if another round follows, the others
  /// are the next carried values.
  using Round = std::function<std::vector<Value *>(
      OpBuilder &b, const std::vector<Value *> &carried,
      const std::vector<Value *> &fixed)>;
  /// A loop on the device of at most so many rounds; returns what it carries.
  std::vector<Value *> loop(std::int64_t most,
                            const std::vector<Value *> &carried,
                            const std::vector<Value *> &fixed,
                            const Round &round);

  /// Normalises an axis from [-rank, rank) to [0, rank).
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
  InlineBody inlineBody;
};

/// Adds the operators and returns the results, null for missing ones. If the
/// operator has a class, too, the decomposition handles the forms that the
/// class lacks, and returns nothing for the others.
using Expand = std::vector<Value *> (*)(Expansion &expansion);

struct Decomposition {
  OpDefinition definition; // without a class
  Expand expand = nullptr;
};

/// The decomposition of exactly this operator, or null.
const Decomposition *findDecomposition(const OperatorId &id);
/// The newest version of an operator up to an opset of its domain; 0 if there
/// is none.
int newestDecomposition(const OperatorId &id, int opset);
std::vector<const Decomposition *> allDecompositions();

class RegisterDecomposition {
public:
  RegisterDecomposition(std::string type, std::vector<int> versions,
                        Expand expand, std::string domain = {});
};

} // namespace populus::popir

#endif
