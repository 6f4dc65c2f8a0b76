// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user may say about the tile program: how many batches a step has,
// which results come back, and how operators compute.

#ifndef POPULUS_LIB_POPART_LOWERING_PROGRAMOPTIONS_H
#define POPULUS_LIB_POPART_LOWERING_PROGRAMOPTIONS_H

#include <map>
#include <set>
#include <string>
#include <vector>

namespace populus::popir {

/// What of a step's batches goes to the host: the result of each, of the last,
/// of every n-th, or the sum of all.
struct AnchorReturn {
  enum Kind { All, Final, EveryN, Sum } kind = All;
  unsigned n = 1;
};

struct ProgramOptions {
  /// How many times the program runs at the same time, each on an equal part of
  /// the machine and with data of its own.
  unsigned replicas = 1;
  unsigned batchesPerStep = 1;
  /// How often the main graph runs in a batch, before the graph of the program
  /// `update`, which follows every batch.
  unsigned microBatches = 1;
  /// The type in which matrix products and convolutions add up, "half" or
  /// "float"; empty: as the library chooses.
  std::string partials;
  /// More options of the library for convolutions and matrix products.
  std::map<std::string, std::string> convolutionOptions, matmulOptions;
  /// Round what is computed in float16 up or down at random, so that on average
  /// nothing is lost. The random numbers follow from the seed of the program.
  bool roundsStochastically = false;
  /// Files with codelets for operators that programs define, and how the
  /// compiler is to take their sources.
  std::vector<std::string> codelets;
  std::string codeletFlags;

  /// Of a tile's memory, for temporary data of both.
  void setAvailableMemory(double proportion) {
    for (auto *those : {&convolutionOptions, &matmulOptions})
      (*those)["availableMemoryProportion"] = std::to_string(proportion);
  }

  /// Inputs of which one transfer serves all replicas.
  std::set<std::string> broadcastInputs;
  /// Keep a map of where tensors lie.
  bool mapTensors = false;
  /// By tensor; All where a result is not named.
  std::map<std::string, AnchorReturn> anchorReturns;
};

} // namespace populus::popir

#endif
