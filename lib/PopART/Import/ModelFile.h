// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads ONNX model files and checks them before import. The result is a model
// that ONNX's checker accepts, in known opsets, with supported operators only.

#ifndef POPULUS_LIB_POPART_IMPORT_MODELFILE_H
#define POPULUS_LIB_POPART_IMPORT_MODELFILE_H

#include "lib/PopART/IR/Op.h"

#include <map>

namespace onnx {
class FunctionProto;
class ModelProto;
class NodeProto;
class OpSchema;
} // namespace onnx

namespace populus::popir {

struct OperatorForm;

/// The opset version of each domain; ONNX's own domain is "".
using Opsets = std::map<std::string, int>;
Opsets opsetsOf(const onnx::ModelProto &model);
Opsets opsetsOf(const onnx::FunctionProto &function);

/// Reads the file, and tensors that it keeps in other files of its folder; "-"
/// is standard input. Throws an Error if it is missing, unreadable or no model.
onnx::ModelProto readModel(const std::string &path);

/// The bytes of the file. If it keeps tensors in other files, the bytes of a
/// model that contains them, if possible.
std::string completeModel(const std::string &path);

/// Parses the bytes of a file; messages call it `name`.
onnx::ModelProto parseModel(const std::string &bytes, const std::string &name);

/// Throws an Error if the model needs unsupported operators (it lists all),
/// opsets or data formats.
void checkSupport(const onnx::ModelProto &model);

/// The operator of a node. Its version is the newest one that the model's opset
/// includes; 0 if there is none.
OperatorId resolveOperator(const Opsets &opsets, const onnx::NodeProto &node);

/// libonnx's schema of a node's operator, or null.
const onnx::OpSchema *findSchema(const Opsets &opsets,
                                 const onnx::NodeProto &node);

/// The schema, if ONNX defines this form of the operator as a function of
/// others; else null.
const onnx::OpSchema *findFunctionSchema(const Opsets &opsets,
                                         const onnx::NodeProto &node);

/// The form of a node's operator, if it is newer than libonnx; else null.
const OperatorForm *findForm(const Opsets &opsets, const onnx::NodeProto &node);

/// The function of the model that a node calls, or null.
const onnx::FunctionProto *findFunction(const onnx::ModelProto &model,
                                        const onnx::NodeProto &node);

/// The node's name, or else that of its first output.
std::string nodeName(const onnx::NodeProto &node);

/// Joins the lines of a libonnx message.
std::string oneLine(const std::string &text);

} // namespace populus::popir

#endif
