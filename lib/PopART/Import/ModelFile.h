// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX model files: reading, and the checks that hold before anything is known
// about operators. What comes out is a valid model, as ONNX's own checker sees
// it, in opsets that we know, with supported operators only.

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
/// is standard input.
/// Missing, unreadable or not a model: an Error.
onnx::ModelProto readModel(const std::string &path);

/// The bytes of the file or, if tensors of it are kept in other files, of a
/// model that has them, where that can be made.
std::string completeModel(const std::string &path);

/// A model from the bytes of a file; `name` stands for it in messages.
onnx::ModelProto parseModel(const std::string &bytes, const std::string &name);

/// An Error where the model needs operators, opsets or data formats that are
/// not supported (all such operators are named at once).
void checkSupport(const onnx::ModelProto &model);

/// The operator of a node: its version is the opset in which the form that the
/// opsets ask for appeared; 0 where there is none.
OperatorId resolveOperator(const Opsets &opsets, const onnx::NodeProto &node);

/// What libonnx knows about the operator of a node; null where it does not.
const onnx::OpSchema *findSchema(const Opsets &opsets,
                                 const onnx::NodeProto &node);

/// The same where ONNX defines the operator by others, for the form that the
/// node has; else null.
const onnx::OpSchema *findFunctionSchema(const Opsets &opsets,
                                         const onnx::NodeProto &node);

/// The form of the node's operator, if it is newer than libonnx; else null.
const OperatorForm *findForm(const Opsets &opsets, const onnx::NodeProto &node);

/// The function of the model that a node calls, or null.
const onnx::FunctionProto *findFunction(const onnx::ModelProto &model,
                                        const onnx::NodeProto &node);

/// The node's name, or else that of its first output.
std::string nodeName(const onnx::NodeProto &node);

/// libonnx's messages have several lines; this makes one of them.
std::string oneLine(const std::string &text);

} // namespace populus::popir

#endif
