// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of operators. Each file of this folder registers its operator with
// the opset versions that it implements; nothing else has to be told about it.

#ifndef POPULUS_LIB_POPART_OPS_REGISTRY_H
#define POPULUS_LIB_POPART_OPS_REGISTRY_H

#include "lib/PopART/IR/Op.h"

namespace popart {

using OpCreator = std::unique_ptr<Op> (*)(OpSpec spec);

struct OpDefinition {
  std::string domain;
  std::string type;
  /// The opset versions in which forms that are implemented appeared.
  std::vector<int> versions;
  OpCreator create = nullptr;
};

/// The definition that implements exactly this operator, or null.
const OpDefinition *findOp(const OperatorId &id);
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
template <class T> class RegisterOp {
public:
  RegisterOp(std::string type, std::vector<int> versions,
             std::string domain = {}) {
    registerOp({std::move(domain), std::move(type), std::move(versions),
                [](OpSpec spec) -> std::unique_ptr<Op> {
                  return std::make_unique<T>(std::move(spec));
                }});
  }
};

} // namespace popart

#endif
