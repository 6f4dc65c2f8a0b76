// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --against: compares the outputs of a run with those of another executable or
// with files, in the order of the program. Where the outputs are the layers of
// a model (popart-compile --anchor all), the first that differs is where a
// wrong result begins.

#ifndef POPULUS_TOOLS_IPU_RUN_AGAINST_H
#define POPULUS_TOOLS_IPU_RUN_AGAINST_H

#include "Compare.h"
#include "Streams.h"

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace populus::run {

struct OutputDifference {
  std::string name;
  /// The reference has an output of that name.
  bool isCompared = false;
  Comparison comparison;
};

/// Values for \p outputs to compare with, by name: of a run of the executable
/// --against with the inputs of the command line, or of the files in that
/// folder. Throws UsageError, InputError, FormatError, RunError.
std::map<std::string, HostTensor>
referenceOutputs(const Options &options,
                 const std::vector<Streams::Output> &outputs);

/// Compares each output with the reference's of the same name. Throws
/// InputError if there is none at all.
std::vector<OutputDifference>
compareOutputs(const std::vector<Streams::Output> &outputs,
               const std::map<std::string, HostTensor> &reference,
               const Options &options);

/// Prints a table and the first difference, or with --json an object. Returns
/// false if an output differs.
bool printDifferences(std::ostream &out,
                      const std::vector<OutputDifference> &differences,
                      const Options &options);

} // namespace populus::run

#endif
