// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of a program that trains: many steps, each with other batches of the
// data, the loss of each, and the weights at the end. A checkpoint (.npz) holds
// everything that the program keeps between steps, and the number of steps; a
// run that resumes from it goes on with the same bits.

#ifndef POPULUS_TOOLS_IPU_RUN_TRAINING_H
#define POPULUS_TOOLS_IPU_RUN_TRAINING_H

#include "Options.h"
#include "RunRecorder.h"
#include "Streams.h"

#include "runtime/Session/Session.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace populus::run {

class Training {
public:
  /// Throws UsageError where the program does not train and the options want
  /// what only training has.
  Training(const Options &options, const runtime::Executable &executable,
           std::ostream &out);

  /// Runs all steps and writes what the options name.
  void run(runtime::Session &session, Streams &streams, RunRecorder &runs);

private:
  /// A tensor that the host reads and writes.
  struct Kept {
    std::uint32_t reader = 0, writer = 0; // of hostTensors
    std::string name;
    HostTensor value; // without elements
  };
  void findKept();
  double lossOf(const Streams &streams) const;
  void show(std::uint64_t step, double loss) const;
  HostTensor read(const runtime::Session &session, const Kept &kept) const;
  std::uint64_t resume(runtime::Session &session) const;
  void writeCheckpoint(const runtime::Session &session,
                       std::uint64_t steps) const;
  void writeWeights(const runtime::Session &session) const;
  void writeLosses(const std::vector<double> &losses,
                   std::uint64_t first) const;

  const Options &options;
  const runtime::Executable &executable;
  std::ostream &out;
  std::string lossName;
  std::vector<Kept> kept;
};

} // namespace populus::run

#endif
