// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The whole way from an ONNX file to an executable file, in stages that can be
// watched, dumped and stopped at. popart-compile is options around this.

#ifndef POPULUS_LIB_POPART_COMPILE_H
#define POPULUS_LIB_POPART_COMPILE_H

#include "lib/PopART/Import/Importer.h"
#include "lib/PopART/Lowering/TileProgram.h"
#include "lib/PopART/Transforms/Transforms.h"

namespace popart {

/// The machine, and how programs run on it.
struct MachineOptions {
  /// "ipu1", "ipu2", "ipu21" or "cpu".
  std::string target = "ipu2";
  /// "ipu" (the emulator), "ipu-model" or "cpu".
  std::string device = "ipu";
  unsigned numIpus = 1;
  /// Tiles per IPU; 0: as many as the target has.
  unsigned tilesPerIpu = 0;
};

/// What compiling stops at and writes.
enum class Stage {
  Import,     // the IR as imported, as text
  Ir,         // the IR after transforms, as text
  Executable, // the .ipux file
};

struct CompileOptions {
  std::string model;
  /// The file to write; empty: standard output for text.
  std::string output;
  MachineOptions machine;
  ImportOptions import;
  ProgramOptions program;
  Patterns patterns;
  Stage stop = Stage::Executable;
  /// Where the result of each stage is written as text; empty: nowhere.
  std::string dumpDirectory;
};

struct StageTime {
  std::string name;
  double seconds = 0;
};

/// The target of a machine. An impossible machine is a usage Error.
poplar::Target makeTarget(const MachineOptions &machine);

/// Compiles and writes the output. Throws Error; nothing is left behind then.
/// Returns how long the stages took.
std::vector<StageTime> compileModel(const CompileOptions &options);

} // namespace popart

#endif
