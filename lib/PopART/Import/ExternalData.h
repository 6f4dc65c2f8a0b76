// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// External data: tensors of large models whose elements are in separate files.
// A model file may refer only to files in its folder and below.

#ifndef POPULUS_LIB_POPART_IMPORT_EXTERNALDATA_H
#define POPULUS_LIB_POPART_IMPORT_EXTERNALDATA_H

#include <filesystem>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace populus::popir {

/// The files that a model may refer to: those of its folder, or, for a model
/// that a program built, all that the program may read.
enum class FileTrust { Folder, All };

/// Reads the elements of all external tensors into the model. One Error lists
/// all that cannot be read. Returns false if there are none.
bool loadExternalData(onnx::ModelProto &model,
                      const std::filesystem::path &folder,
                      FileTrust trust = FileTrust::Folder);

} // namespace populus::popir

#endif
