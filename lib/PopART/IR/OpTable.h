// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry of operators. Each file of lib/PopART/Ops registers its operator
// with the opset versions that it implements; no other table lists operators.

#ifndef POPULUS_LIB_POPART_IR_OPTABLE_H
#define POPULUS_LIB_POPART_IR_OPTABLE_H

#include "lib/PopART/IR/Op.h"

#include <limits>

namespace populus::popir {

using OpCreator = std::unique_ptr<Op> (*)(OpSpec spec);

struct OpDefinition {
  std::string domain;
  std::string type;
  /// Implemented versions: the opsets that introduced or changed the operator.
  std::vector<int> versions;
  OpCreator create = nullptr;
  /// Checked for Graphcore's domain; other domains are checked by ONNX's
  /// schemas in the importer.
  std::size_t mostInputs = AnyInputs;
  /// Only passes make it; models cannot have it.
  bool isInternal = false;

  static constexpr std::size_t AnyInputs =
      std::numeric_limits<std::size_t>::max();
};

/// The definition that implements exactly this operator, or null.
const OpDefinition *findOp(const OperatorId &id);
/// True if the operator is registered and models may contain it.
bool isModelOp(const OperatorId &id);
/// The newest version of an operator that is registered, up to `opset`; 0 where
/// there is none.
int newestVersion(const OperatorId &id, int opset);
/// The newest registered form of an operator that must be there.
OperatorId newestOf(const std::string &domain, const std::string &type);
/// All definitions, by name.
std::vector<const OpDefinition *> allOps();

/// Makes an operator. Attributes it cannot handle are an Error.
std::unique_ptr<Op> createOp(OpSpec spec);

void registerOp(OpDefinition definition);

/// A static object of this type registers an operator, of ONNX's own domain
/// unless it names another one:
///   const RegisterOp<Reshape> registration("Reshape", {5, 13, 14});
///   const RegisterOp<Reverse> reverse("Reverse", {1}, "ai.graphcore", 1);
template <class T> class RegisterOp {
public:
  RegisterOp(std::string type, std::vector<int> versions,
             std::string domain = {},
             std::size_t mostInputs = OpDefinition::AnyInputs,
             bool isInternal = false) {
    registerOp({std::move(domain), std::move(type), std::move(versions),
                [](OpSpec spec) -> std::unique_ptr<Op> {
                  return std::make_unique<T>(std::move(spec));
                },
                mostInputs, isInternal});
  }
};

/// The same for an operator that only passes make.
template <class T> class RegisterInternalOp : RegisterOp<T> {
public:
  explicit RegisterInternalOp(std::string type)
      : RegisterOp<T>(std::move(type), {1}, "ai.graphcore",
                      OpDefinition::AnyInputs, true) {}
};

} // namespace populus::popir

#endif
