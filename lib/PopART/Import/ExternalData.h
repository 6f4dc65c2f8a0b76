// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors whose elements are in files beside the model, as exporters write them
// for large models. Only files in the model's folder and below are read.

#ifndef POPULUS_LIB_POPART_IMPORT_EXTERNALDATA_H
#define POPULUS_LIB_POPART_IMPORT_EXTERNALDATA_H

#include <filesystem>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace populus::popir {

/// Reads the elements of all such tensors into the model. One Error names all
/// that cannot be read. False where there are none.
bool loadExternalData(onnx::ModelProto &model,
                      const std::filesystem::path &folder);

} // namespace populus::popir

#endif
