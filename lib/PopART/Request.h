// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests to the compiler. popart-compile, sessions and module programs fill
// in a request and differ in the source of the module only; Driver.h has the
// stages.

#ifndef POPULUS_LIB_POPART_REQUEST_H
#define POPULUS_LIB_POPART_REQUEST_H

#include "lib/PopART/IR/Export.h"
#include "lib/PopART/Lowering/TileProgram.h"
#include "lib/PopART/Machine.h"
#include "lib/PopART/Passes/Pass.h"
#include "lib/PopART/ReplicaData.h"
#include "lib/PopART/Support/OptionKey.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace populus::popir {

/// Progress of a compilation; `total` is 0 if it is unknown.
struct Progress {
  std::string stage;
  unsigned done = 0, total = 0;
};

/// Files beside the executable that tell of its graphs.
struct Drawings {
  /// The folder of drawings and tile maps; empty: the current one.
  std::string folder;
  /// The checkpoints to draw.
  std::set<std::string> checks;
  DotStyle style;
};

struct Request {
  /// The machine of all replicas.
  MachineOptions machine;
  ProgramOptions program;
  /// The passes; the driver sets their number of IPUs, that of a replica.
  Pipeline pipeline;
  /// The host keeps the states of random generators; see lowerModule().
  bool keepsGenerators = false;
  /// Options of the graph compiler and the engine.
  std::map<std::string, std::string> engineOptions;

  // Nothing below changes the executable.

  /// The replicas of this process, where others of the job run the rest; a
  /// number of 0: all.
  unsigned firstReplica = 0, numOwnReplicas = 0;
  /// Folder of the executable cache; empty: none.
  std::string cacheDirectory;
  Drawings drawings;
  /// Folder for the result of each stage as text; empty: none.
  std::string dumpDirectory;
  /// Called when a stage begins, and as it progresses.
  std::function<void(const Progress &)> progress;
  /// Called often; an exception ends the compilation.
  std::function<void()> check;

  poplar::OptionFlags engineFlags() const {
    poplar::OptionFlags flags;
    for (const auto &[key, value] : engineOptions)
      flags.set(key, value);
    return flags;
  }
  Replicas share() const {
    return numOwnReplicas == 0
               ? allOf(program.replicas)
               : Replicas{program.replicas, firstReplica, numOwnReplicas};
  }
  /// Flags of the engine that runs the share of this process.
  poplar::OptionFlags runFlags() const {
    return withReplicas(engineFlags(), share());
  }
  /// The machine with the IPUs of this process only.
  MachineOptions ownMachine() const {
    MachineOptions own = machine;
    own.numIpus = machine.numIpus / share().total * share().count;
    return own;
  }
  unsigned ipusPerReplica() const {
    return program.replicas == 0 ? machine.numIpus
                                 : machine.numIpus / program.replicas;
  }
};

/// The origin of a module: a file, bytes of a model, or the module of a front
/// end that builds it itself.
class Source {
public:
  virtual ~Source() = default;

  /// Adds the model's bytes, and the options that only this source has.
  virtual void addTo(OptionKey &key) const = 0;
  /// False if the executable depends on more than the key covers.
  virtual bool isCacheable() const { return true; }

  /// The module before any pass, which the source owns. The request may be
  /// refined by what the model says.
  virtual Module &module(Request &request) = 0;
  virtual void afterPasses(Module &) {}
  /// Adds facts about the model to a new executable.
  virtual void annotate(poplar::Executable &, const TileProgram &) {}
};

} // namespace populus::popir

#endif
