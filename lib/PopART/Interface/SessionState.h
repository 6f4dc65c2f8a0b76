// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The private state of a session.

#ifndef POPULUS_LIB_POPART_INTERFACE_SESSIONSTATE_H
#define POPULUS_LIB_POPART_INTERFACE_SESSIONSTATE_H

#include "lib/PopART/Interface/SessionProgram.h"

#include <popart/session.hpp>

#include <map>
#include <set>
#include <string>

namespace popart {

namespace popart_detail {

class SessionState {
public:
  SessionState(session::Setup setup, const std::string &model,
               const DataFlow &dataFlow, const SessionOptions &options)
      : model(model), dataFlow(dataFlow), options(options),
        program(std::move(setup)), inputs(session::inputsOf(model)),
        weights(session::weightsOf(model)) {}

  std::string model;
  DataFlow dataFlow;
  SessionOptions options;
  session::SessionProgram program;
  std::set<TensorId> inputs;
  /// Number of elements by weight.
  std::map<TensorId, std::int64_t> weights;
  bool hasRun = false;
  bool isTraining = false;
  bool isOnCpu = false;
  std::int64_t replicas = 1;
  /// Inputs of which all replicas get the same.
  std::set<TensorId> broadcastInputs;
  /// In training: true if the device has received the weights.
  bool hasWeights = false;
  std::uint64_t randomSeed = 0;
  /// The seed has not been sent to the device yet.
  bool hasNewSeed = false;
  /// Initializers that a written model keeps in external files.
  session::ExternalPlaces places;
  /// True if the host's weights are equal to the device's.
  bool areHostWeightsInSync = false;
};

} // namespace popart_detail

} // namespace popart

#endif
