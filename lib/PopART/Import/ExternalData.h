// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors whose elements are in files beside the model, as exporters write them
// for large models. Of a model that is a file, only files in its folder and
// below are read.

#ifndef POPULUS_LIB_POPART_IMPORT_EXTERNALDATA_H
#define POPULUS_LIB_POPART_IMPORT_EXTERNALDATA_H

#include <filesystem>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace populus::popir {

/// Which files a model may name: those of its folder, or, where a program has
/// made it, all that the program may read.
enum class FileTrust { Folder, All };

/// Reads the elements of all such tensors into the model. One Error names all
/// that cannot be read. False where there are none.
bool loadExternalData(onnx::ModelProto &model,
                      const std::filesystem::path &folder,
                      FileTrust trust = FileTrust::Folder);

} // namespace populus::popir

#endif
