// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a SessionProgram: the driver with its module, the engine, and
// the streams and variables of the host.

#ifndef POPULUS_LIB_POPART_INTERFACE_SESSIONPROGRAMIMPL_H
#define POPULUS_LIB_POPART_INTERFACE_SESSIONPROGRAMIMPL_H

#include "lib/PopART/Driver.h"
#include "lib/PopART/Interface/ReplicaSettings.h"
#include "lib/PopART/Interface/SessionModule.h"
#include "lib/PopART/Interface/SessionProgram.h"

#include <poplar/Engine.hpp>

namespace popart::session {

struct SessionProgram::Impl {
  explicit Impl(Setup newSetup);

  void compile();
  void use(poplar::Executable executable);
  void connect();
  void readInput(const std::string &name, const Info &info, void *buffer);
  /// The anchor that an output of the module returns.
  const std::string &anchorOf(const populus::popir::GraphResult &result) const;

  // Weights, constants and the optimizer's numbers: SessionVariables.cpp.

  void rememberConstants();
  /// Throws if an initializer that was compiled as a constant has changed.
  void setWeights(const std::string &model,
                  const std::function<bool(const std::string &)> &isWanted);
  std::string withWeights(const std::string &model) const;
  void setOptimizer(const populus::popir::Optimizer &optimizer);
  bool staysOnDevice(const std::string &name) const;
  void checkConstant(const std::string &name,
                     const populus::popir::HostTensor &value) const;
  /// By replica, what it has of the host's data; one value where all have it.
  populus::popir::HostTensor
  onReplicas(const populus::popir::Variable &variable,
             populus::popir::HostTensor value) const;
  void writeVariable(const populus::popir::Variable &variable,
                     const populus::popir::HostTensor &value);
  populus::popir::HostTensor
  readVariable(const populus::popir::Variable &variable) const;
  /// The shape of the tensor that replicas have shards of; null where there are
  /// none.
  const populus::popir::Shape *
  wholeOf(const populus::popir::Variable &variable) const;

  /// The size of the generators' states, which the host writes before the first
  /// step, of this process.
  std::size_t numGeneratorWords() const;
  /// Derives the states from the seed, until the host writes others.
  void seedGenerators(std::uint64_t seed);

  unsigned replicas() const { return setup.request.program.replicas; }
  populus::popir::Replicas share() const { return setup.request.share(); }

  Setup setup;
  SessionSource source;
  populus::popir::Driver driver;
  ReplicaSettings settings;
  /// After all passes.
  populus::popir::Module &module;
  std::map<std::string, Info> inputs, anchors;
  /// Hashes of the initializers that are compiled as constants.
  std::map<std::string, std::string> constants;
  /// Variables that hold hyperparameters of the optimizer.
  std::set<std::string> numbers;
  std::set<std::string> hostTensors; // handles of what can be written
  std::unique_ptr<poplar::Engine> engine;
  poplar::Device device;
  bool isLoaded = false;
  std::uint64_t lastCycles = 0; // of the last run
  Transfers *transfers = nullptr;
};

} // namespace popart::session

#endif
