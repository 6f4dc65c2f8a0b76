// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX model files: reading, and the checks that hold before anything is known
// about operators. What comes out is a valid model, as ONNX's own checker sees
// it, in opsets that libonnx knows, with supported operators only.

#ifndef POPULUS_LIB_POPART_IMPORT_MODELFILE_H
#define POPULUS_LIB_POPART_IMPORT_MODELFILE_H

#include "lib/PopART/IR/Op.h"

namespace onnx {
class ModelProto;
class NodeProto;
} // namespace onnx

namespace popart {

/// Reads the file. Missing, unreadable or not a model: an Error.
onnx::ModelProto readModel(const std::string &path);

/// A model from the bytes of a file; `name` stands for it in messages.
onnx::ModelProto parseModel(const std::string &bytes, const std::string &name);

/// An Error where the model needs operators, opsets or data formats that are
/// not supported (all such operators are named at once).
void checkSupport(const onnx::ModelProto &model);

/// An Error where ONNX's checker finds that the model is not valid.
void checkValid(const onnx::ModelProto &model);

/// The operator of a node; version 0 where ONNX does not define it.
OperatorId resolveOperator(const onnx::ModelProto &model,
                           const onnx::NodeProto &node);

/// The node's name, or else that of its first output.
std::string nodeName(const onnx::NodeProto &node);

/// The newest opset of ONNX's own domain that libonnx knows.
int newestOpset();

/// libonnx's messages have several lines; this makes one of them.
std::string oneLine(const std::string &text);

} // namespace popart

#endif
