// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User options of the tile program: batches per step, returned results, and
// numerics of operators.

#ifndef POPULUS_LIB_POPART_LOWERING_PROGRAMOPTIONS_H
#define POPULUS_LIB_POPART_LOWERING_PROGRAMOPTIONS_H

#include <map>
#include <set>
#include <string>
#include <vector>

namespace populus::popir {

/// The results of a step's batches that are returned to the host: of all
/// batches, of the last, of every n-th, or their sum.
struct AnchorReturn {
  enum Kind { All, Final, EveryN, Sum } kind = All;
  unsigned n = 1;
};

/// The way of an input or a result between the host and the tiles that compute.
struct HostTransfer {
  /// Through the I/O tiles, which take part in no computation.
  bool viaIoTiles = false;
  /// Transfers of other micro-batches run beside the computation of one: those
  /// of its batch, or of all batches of the step.
  enum Overlap { None, InnerLoop, Loops } overlap = None;
};

struct ProgramOptions {
  /// Copies of the program that run at the same time, each on an equal part of
  /// the machine and with its own data.
  unsigned replicas = 1;
  unsigned batchesPerStep = 1;
  /// Runs of the main graph in a batch. The graph of program `update` follows
  /// each batch.
  unsigned microBatches = 1;
  /// Runs the stages of the main graph as a software pipeline
  /// (StagedProgram.h).
  bool pipelined = false;
  /// The accumulator type of matrix products and convolutions, "half" or
  /// "float"; empty: the library chooses.
  std::string partials;
  /// More options of the library for convolutions and matrix products.
  std::map<std::string, std::string> convolutionOptions, matmulOptions;
  /// Stochastic rounding of float16 results: rounds up or down at random, so
  /// that the expected error is zero. Random numbers derive from the program's
  /// seed.
  bool roundsStochastically = false;
  /// Codelet files of custom operators, and compiler flags for those that are
  /// sources.
  std::vector<std::string> codelets;
  std::string codeletFlags;

  /// The share of a tile's memory for temporary data of both.
  void setAvailableMemory(double proportion) {
    for (auto *those : {&convolutionOptions, &matmulOptions})
      (*those)["availableMemoryProportion"] = std::to_string(proportion);
  }

  /// Inputs of which one transfer serves all replicas.
  std::set<std::string> broadcastInputs;
  /// Keep the tile mapping of all tensors.
  bool mapTensors = false;
  /// By tensor; the default is All.
  std::map<std::string, AnchorReturn> anchorReturns;
  /// The last tiles of each IPU, which are kept for transfers; 0: none.
  unsigned numIoTiles = 0;
  /// By input or result; the default is directly and without overlap.
  std::map<std::string, HostTransfer> transfers;
};

} // namespace populus::popir

#endif
