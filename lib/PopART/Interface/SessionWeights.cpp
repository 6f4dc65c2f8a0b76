// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of sessions: on the host in a model, which is that of the session
// but for them, and on the device.

#include "lib/PopART/Interface/SessionState.h"
#include "lib/PopART/Interface/TensorInfos.h"
#include "lib/PopART/Support/OnnxTypes.h"

#include <pvti/pvti.hpp>

#include <algorithm>
#include <utility>

namespace popart {

static void needWritableWeights(const popart_detail::SessionState &state,
                                const char *function) {
  if (state.options.constantWeights && !state.isTraining)
    throw runtime_error("Cannot call {} when constantWeights is set. Set "
                        "`constantWeights` to False in the `SessionOption`s "
                        "when initialising the session to enable this "
                        "behaviour.",
                        function);
}

void Session::resetHostWeights(const std::string &model, bool ignoreUnknown) {
  needWritableWeights(*state, "resetHostWeights");
  state->model = session::withWeights(state->model, session::modelBytes(model),
                                      ignoreUnknown);
  state->hasWeights = false;
}

void Session::broadcastWeights(unsigned rootInstance) {
  const std::string model = session::broadcastModel(state->model, rootInstance);
  state->model =
      session::withWeights(state->model, model, /*ignoreUnknown=*/false);
  if (std::exchange(state->hasWeights, false))
    weightsFromHost();
}

/// Copies a weight, of which there are as many elements on both sides.
static void copyWeight(const void *from, const TensorInfo &source, void *to,
                       const TensorInfo &target, const std::string &id) {
  if (!from || !to)
    throw runtime_error("there is no memory for the weight '{}'", id);
  if (source.nelms() != target.nelms())
    throw runtime_error("the weight '{}' cannot go from {} to {}", id, source,
                        target);
  const int fromType = session::toOnnx(source.dataType());
  const int toType = session::toOnnx(target.dataType());
  if (const std::string lost =
          session::lostInteger(from, fromType, toType, source.nelms());
      !lost.empty())
    throw runtime_error("the weight '{}' does not fit {}: {}", id,
                        getDataTypeName(target.dataType()), lost);
  session::convert(from, fromType, to, toType, source.nelms());
}

void Session::readWeights(const IWeightsIO &weights) {
  session::readWeights(state->model, [&](const std::string &id,
                                         const session::Info &info,
                                         const void *elements) {
    if (!weights.contains(id))
      return;
    MutableVoidData data = weights.weight(id);
    copyWeight(elements, session::toTensorInfo(info), data.data, data.info, id);
  });
}

void Session::writeWeights(const IWeightsIO &weights) {
  const std::vector<TensorId> &buffers = state->options.updatableNamedBuffers;
  if (buffers.empty())
    needWritableWeights(*state, "writeWeights");
  state->model = session::replaceWeights(
      state->model,
      [&](const std::string &id, const session::Info &info, void *elements) {
        if (!weights.contains(id))
          return false;
        if (std::find(buffers.begin(), buffers.end(), id) == buffers.end())
          needWritableWeights(*state, "writeWeights");
        MutableVoidData data = weights.weight(id);
        copyWeight(data.data, data.info, elements, session::toTensorInfo(info),
                   id);
        return true;
      });
}

void Session::weightsFromHost() {
  const pvti::Tracepoint span(&pvti::traceFramework,
                              "popart::Session::weightsFromHost");
  if (!state->program.isLoaded())
    throw runtime_error("Devicex::prepare() must be called before "
                        "Devicex::weightsFromHost() is called.");
  if (state->isTraining || !state->options.constantWeights)
    state->program.setWeights(state->model);
  state->hasWeights = true;
  state->areHostWeightsInSync = true;
}

void Session::buffersFromHost() {
  if (!state->program.isLoaded())
    throw runtime_error("Devicex::prepare() must be called before "
                        "Devicex::buffersFromHost() is called.");
  const std::vector<TensorId> &names = state->options.updatableNamedBuffers;
  state->program.setWeights(state->model, {names.begin(), names.end()});
}

void Session::weightsToHost() {
  const pvti::Tracepoint span(&pvti::traceFramework,
                              "popart::Session::weightsToHost");
  state->areHostWeightsInSync = true;
  if (!state->isTraining && state->options.constantWeights)
    return;
  if (!state->program.isLoaded())
    throw runtime_error("Devicex::prepare() must be called before "
                        "Devicex::weightsToHost() is called.");
  state->model = state->program.withWeights(state->model);
}

void Session::modelToHost(const std::string &path) {
  const pvti::Tracepoint span(&pvti::traceFramework,
                              "popart::Session::modelToHost");
  weightsToHost();
  saveVariables(path);
}

void Session::saveVariables(const std::string &path) {
  if (state->places.empty())
    return session::writeFile(path, state->model);
  session::writeElements(state->model, state->places);
  session::writeFile(path, session::referring(state->model, state->places));
}

void Session::updateExternallySavedTensorLocations(
    const std::string &fromLocation, const std::string &toLocation) {
  session::ExternalPlaces moved;
  for (const auto &[id, place] : state->places)
    if (place.path == fromLocation)
      moved[id] = {toLocation, place.offset};
  if (moved.empty())
    throw error("no initializer of the model is in the file '{}'",
                fromLocation);
  session::writeElements(state->model, moved);
  for (const auto &[id, place] : moved)
    state->places[id] = place;
}

void Session::markHostWeightsInSync() { state->areHostWeightsInSync = true; }

void Session::markHostWeightsOutOfSync() {
  state->areHostWeightsInSync = false;
}

bool Session::areHostWeightsInSync() const {
  return state->areHostWeightsInSync;
}

} // namespace popart
