// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of the model and their shapes. Tile programs need static shapes, so
// that dimensions which the model leaves open have to be given by the user.

#ifndef POPULUS_LIB_POPART_IMPORT_INPUTSHAPES_H
#define POPULUS_LIB_POPART_IMPORT_INPUTSHAPES_H

#include "lib/PopART/IR/DataType.h"

#include <map>
#include <string>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace populus::popir {

/// What the user says about shapes: of inputs by name, of symbolic dimensions.
struct ShapeOptions {
  std::map<std::string, Shape> inputShapes;
  std::map<std::string, std::int64_t> dims;
};

struct ModelInput {
  std::string name;
  TensorInfo info;
};

/// Writes the user's shapes into the model and returns its inputs in order,
/// those with an initial value left out. Open dimensions are an Error that says
/// which and how to set them. The model need not be checked yet.
std::vector<ModelInput> bindInputShapes(onnx::ModelProto &model,
                                        const ShapeOptions &options);

/// Gives results that have none a shape, which ONNX's checker wants; and takes
/// away what the model says about the shapes of all but its inputs, which may
/// no longer hold.
void completeOutputShapes(onnx::ModelProto &model);
void forgetDerivedShapes(onnx::ModelProto &model);

} // namespace populus::popir

#endif
