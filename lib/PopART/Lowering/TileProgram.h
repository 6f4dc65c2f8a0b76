// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the IR to a poplar graph with its program, and from there to an
// executable. The program copies the inputs from the host, runs the operators,
// and copies the results to the host, once for each batch of a step. Streams
// are named as the tensors of the model.

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
  /// What reports tell of the operators; executables keep it.
  report::Recorded operators = {};
};

/// With `keepsGenerators` the generators of random bits go on from step to
/// step, and the host may read and write their states (StochasticRounding.h).
/// Errors of the libraries below become Errors: out of memory, not supported,
/// or else internal.
TileProgram lowerModule(const Module &module, const poplar::Target &target,
                        const ProgramOptions &options,
                        bool keepsGenerators = false);
poplar::Executable compileProgram(TileProgram &program,
                                  const poplar::OptionFlags &options = {},
                                  const poplar::ProgressFunc &progress = {});

} // namespace populus::popir

#endif
