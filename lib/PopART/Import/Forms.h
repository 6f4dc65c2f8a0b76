// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms of ONNX's own operators that are newer than the distribution's
// libonnx. Of a node in such a form we check what libonnx checks of older ones:
// its attributes, how many inputs and results it has, and their types. The
// table is NewForms.inc, which utils/onnx-forms makes from ONNX's own package.

#ifndef POPULUS_LIB_POPART_IMPORT_FORMS_H
#define POPULUS_LIB_POPART_IMPORT_FORMS_H

#include "lib/PopART/IR/Graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace onnx {
class NodeProto;
} // namespace onnx

namespace populus::popir {

struct FormalInput {
  enum Kind { Required, Optional, Variadic };

  std::string name;
  Kind kind;
  /// Inputs with the same letter have the same type; empty: any of `types`.
  std::string variable;
  /// Bit n: the type with that number in ONNX's TensorProto.DataType.
  std::uint64_t types;
};

struct FormalAttribute {
  std::string name;
  int type; // onnx::AttributeProto::AttributeType
  bool isRequired;
};

struct OperatorForm {
  std::string type;
  int version; // the opset in which it appeared
  bool isDeprecated;
  int fewestOutputs, mostOutputs; // any number: -1
  std::vector<FormalInput> inputs;
  std::vector<FormalAttribute> attributes;
};

/// The newest form of an operator that an opset has; null where libonnx knows
/// that one, or nobody.
const OperatorForm *findForm(const std::string &type, int opset);

/// The newest opset and version of the file format that are read.
int newestOpset();
int newestIrVersion();

/// The newest ones that libonnx knows.
int newestOpsetOfLibonnx();
int newestIrVersionOfLibonnx();

/// An Error where the node's attributes or its numbers of inputs and results
/// are not those of the form.
void checkNodeForm(const onnx::NodeProto &node, const OperatorForm &form);

/// An Error where an input has a type that the form does not take. Inputs that
/// the node leaves out are null.
void checkInputTypes(const onnx::NodeProto &node, const OperatorForm &form,
                     const std::vector<Value *> &inputs);

} // namespace populus::popir

#endif
