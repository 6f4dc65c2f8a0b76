// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes in an executable (its metadata) for the tools that run and show it.

#ifndef POPULUS_LIB_POPART_NOTES_H
#define POPULUS_LIB_POPART_NOTES_H

#include "lib/PopART/Compile.h"

#include <onnx/onnx_pb.h>
#include <poplar/Executable.hpp>

#include <string>
#include <vector>

namespace populus::popir {

/// Whether a file is a module of the IR as text, and not a model.
bool isModuleFile(const std::string &path);

/// Tells tools where the executable comes from and what goes in and out.
void annotate(poplar::Executable &executable, const TileProgram &program,
              const std::vector<PaddedResult> &padded,
              const onnx::ModelProto &model, const CompileOptions &options);

/// The weights of a program that trains, as the model has them: what ipu-run
/// needs to write the trained model.
void annotateTraining(poplar::Executable &executable, const Module &module,
                      onnx::ModelProto model, const std::string &loss);

} // namespace populus::popir

#endif
