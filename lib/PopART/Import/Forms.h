// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of ONNX's operators that are newer than the installed libonnx. They get
// the checks that libonnx makes for older ones: attributes, numbers of inputs
// and results, and types. The table is NewForms.inc, which utils/onnx-forms
// generates from ONNX's own package.

#ifndef POPULUS_LIB_POPART_IMPORT_FORMS_H
#define POPULUS_LIB_POPART_IMPORT_FORMS_H

#include "lib/PopART/IR/Graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace onnx {
class NodeProto;
} // namespace onnx

namespace populus::popir {

struct FormalInput {
  enum Kind { Required, Optional, Variadic };

  std::string_view name;
  Kind kind;
  /// Inputs with the same letter have the same type; empty: any of `types`.
  std::string_view variable;
  /// Bit n: the type with that number in ONNX's TensorProto.DataType.
  std::uint64_t types;
};

struct FormalAttribute {
  std::string_view name;
  int type; // onnx::AttributeProto::AttributeType
  bool isRequired;
};

struct OperatorForm {
  std::string_view type;
  int version; // the opset in which it appeared
  bool isDeprecated;
  int fewestOutputs, mostOutputs; // any number: -1
  std::vector<FormalInput> inputs;
  std::vector<FormalAttribute> attributes;
};

/// The newest form of an operator in an opset; null if libonnx knows it, or if
/// it does not exist.
const OperatorForm *findForm(const std::string &type, int opset);

/// The newest supported opset and version of the file format.
int newestOpset();
int newestIrVersion();

/// The newest ones that libonnx knows.
int newestOpsetOfLibonnx();
int newestIrVersionOfLibonnx();

/// Throws an Error if a node's attributes or its numbers of inputs and results
/// do not match the form.
void checkNodeForm(const onnx::NodeProto &node, const OperatorForm &form);

/// Throws an Error if an input has a type that the form does not accept.
/// Omitted inputs are null.
void checkInputTypes(const onnx::NodeProto &node, const OperatorForm &form,
                     const std::vector<Value *> &inputs);

} // namespace populus::popir

#endif
