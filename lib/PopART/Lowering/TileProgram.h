// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the IR to a poplar graph and program, and compiles these to an
// executable. For each batch of a step, the program copies inputs from the
// host, runs the operators, and copies results to the host. Streams have the
// names of the model's tensors.

#ifndef POPULUS_LIB_POPART_LOWERING_TILEPROGRAM_H
#define POPULUS_LIB_POPART_LOWERING_TILEPROGRAM_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Lowering/ProgramOptions.h"
#include "lib/Profile/Report.pb.h"

#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace populus::popir {

/// A stream of the program, as the host sees it.
struct StreamInfo {
  std::string name;
  TensorInfo info;
};

struct TileProgram {
  poplar::Graph graph;
  poplar::program::Program program;
  std::vector<StreamInfo> inputs, outputs;
  /// See Lowering::tileMap(); empty unless it was asked for.
  std::string tileMap;
  /// The operators as reports show them; stored in executables.
  report::Recorded operators = {};
};

/// With `keepsGenerators`, random generators keep their states between steps,
/// and the host may read and write them (StochasticRounding.h). Exceptions of
/// the libraries below become Errors: out of memory, unsupported, or internal.
TileProgram lowerModule(const Module &module, const poplar::Target &target,
                        const ProgramOptions &options,
                        bool keepsGenerators = false);
poplar::Executable compileProgram(TileProgram &program,
                                  const poplar::OptionFlags &options = {},
                                  const poplar::ProgressFunc &progress = {});

} // namespace populus::popir

#endif
