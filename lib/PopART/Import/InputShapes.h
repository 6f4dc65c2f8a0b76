// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of the model and their shapes. Tile programs need static shapes, so
// the user has to set dimensions that the model leaves open.

#ifndef POPULUS_LIB_POPART_IMPORT_INPUTSHAPES_H
#define POPULUS_LIB_POPART_IMPORT_INPUTSHAPES_H

#include "lib/PopART/IR/DataType.h"

#include <map>
#include <string>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace populus::popir {

/// The user's shapes: of inputs by name, and values of symbolic dimensions.
struct ShapeOptions {
  std::map<std::string, Shape> inputShapes;
  std::map<std::string, std::int64_t> dims;
};

struct ModelInput {
  std::string name;
  TensorInfo info;
};

/// Writes the user's shapes into the model. Returns its inputs in order,
/// without those that have an initializer. Throws an Error that lists open
/// dimensions and how to set them. The model may be unchecked.
std::vector<ModelInput> bindInputShapes(onnx::ModelProto &model,
                                        const ShapeOptions &options);

/// Adds missing shapes of results, which ONNX's checker requires. Removes the
/// shapes of all values except inputs, which may be outdated.
void completeOutputShapes(onnx::ModelProto &model);
void forgetDerivedShapes(onnx::ModelProto &model);

} // namespace populus::popir

#endif
