// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metadata of an executable, for the tools that run and show it.

#ifndef POPULUS_LIB_POPART_NOTES_H
#define POPULUS_LIB_POPART_NOTES_H

#include "lib/PopART/Compile.h"

#include <onnx/onnx_pb.h>
#include <poplar/Executable.hpp>

#include <string>
#include <vector>

namespace populus::popir {

/// True if a file is a module of the IR as text, not an ONNX model.
bool isModuleFile(const std::string &path);

/// Records the origin of the executable, its inputs and its outputs.
void annotate(poplar::Executable &executable, const TileProgram &program,
              const std::vector<PaddedResult> &padded,
              const onnx::ModelProto &model, const CompileOptions &options);

/// Records the model's weights of a training program, from which ipu-run
/// writes the trained model.
void annotateTraining(poplar::Executable &executable, const Module &module,
                      onnx::ModelProto model, const std::string &loss);

/// Records the initial values of variables in the host's memory, for programs
/// that run without their module.
void annotateOffChip(poplar::Executable &executable, const Module &module);

} // namespace populus::popir

#endif
