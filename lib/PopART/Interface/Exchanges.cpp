// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Exchanges.h.

#include "lib/PopART/Interface/Exchanges.h"

#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Interface/ReplicaSettings.h"
#include "lib/PopART/Interface/SessionProgram.h"
#include "lib/PopART/Interface/Translated.h"

#include <onnx/onnx_pb.h>
#include <popart/error.hpp>

#include <sstream>

namespace popart::session {

using populus::popir::HostTransfer;

namespace {

struct Exchange {
  TileSet tiles = TileSet::Compute;
  ExchangeStrategy strategy = ExchangeStrategy::JustInTime;

  bool isDirect() const {
    return tiles != TileSet::IO && strategy == ExchangeStrategy::JustInTime;
  }
};

HostTransfer toCompiler(const Exchange &exchange) {
  if (exchange.tiles != TileSet::IO)
    return {};
  switch (exchange.strategy) {
  case ExchangeStrategy::OverlapInnerLoop:
    return {true, HostTransfer::InnerLoop};
  case ExchangeStrategy::OverlapLoops:
    return {true, HostTransfer::Loops};
  default:
    return {true, HostTransfer::None};
  }
}

std::map<std::string, Exchange> ofInputs(const onnx::ModelProto &model) {
  constexpr std::string_view Prefix = ExchangeKey;
  std::map<std::string, Exchange> exchanges;
  for (const onnx::StringStringEntryProto &entry : model.metadata_props()) {
    if (!entry.key().starts_with(Prefix))
      continue;
    int tiles = 0, strategy = 0;
    std::istringstream(entry.value()) >> tiles >> strategy;
    exchanges[entry.key().substr(Prefix.size())] = {
        static_cast<TileSet>(tiles), static_cast<ExchangeStrategy>(strategy)};
  }
  return exchanges;
}

std::map<std::string, Exchange> ofAnchors(const DataFlow &dataFlow) {
  std::map<std::string, Exchange> exchanges;
  for (const TensorId &id : dataFlow.anchors())
    exchanges[id] = {dataFlow.art(id).tileSet(),
                     dataFlow.art(id).exchangeStrategy()};
  return exchanges;
}

Exchanges toCompiler(const std::map<std::string, Exchange> &exchanges) {
  Exchanges result;
  for (const auto &[name, exchange] : exchanges)
    if (!exchange.isDirect())
      result[name] = toCompiler(exchange);
  return result;
}

void requireForIoTiles(const SessionOptions &options, const std::string &user) {
  auto require = [&](bool isSo, const char *option) {
    if (!isSo)
      throw error("{} is to use the I/O tiles, or to overlap, for which the "
                  "session option {}",
                  user, option);
  };
  require(options.numIOTiles > 0, "numIOTiles has to be above 0");
  require(options.useHostCopyOps, "useHostCopyOps has to be true");
  require(options.enableExplicitMainLoops,
          "enableExplicitMainLoops has to be true");
  require(options.virtualGraphMode != VirtualGraphMode::Off,
          "virtualGraphMode must not be Off");
}

void check(const std::map<std::string, Exchange> &exchanges, const char *kind,
           const SessionOptions &options) {
  for (const auto &[name, exchange] : exchanges) {
    if (exchange.strategy == ExchangeStrategy::OverlapStep)
      throw error("ExchangeStrategy::OverlapStep is not yet supported. The {} "
                  "'{}' asks for it.",
                  kind, name);
    if (exchange.isDirect())
      continue;
    requireForIoTiles(options, std::string(kind) + " '" + name + "'");
    if (exchange.tiles != TileSet::IO)
      logWarning("the ExchangeStrategy of the " + std::string(kind) + " '" +
                 name + "' has no effect, for its TileSet is Compute");
  }
}

void check(const TensorLocation &location, const std::string &option,
           const SessionOptions &options) {
  const bool usesIo = location.loadTileSet == TileSet::IO ||
                      location.storageTileSet == TileSet::IO;
  if (usesIo && options.numIOTiles <= 0)
    throw error("{} is to use the I/O tiles, for which the session option "
                "numIOTiles has to be above 0",
                option);
}

} // namespace

Exchanges inputExchanges(const onnx::ModelProto &model) {
  return toCompiler(ofInputs(model));
}

Exchanges anchorExchanges(const DataFlow &dataFlow) {
  return toCompiler(ofAnchors(dataFlow));
}

void checkExchanges(const std::string &model, const DataFlow &dataFlow,
                    const SessionOptions &options) {
  std::map<std::string, Exchange> inputs;
  if (model.find(ExchangeKey) != std::string::npos) // parsing takes longer
    inputs = translated([&] {
      return ofInputs(populus::popir::parseModel(model, "the model"));
    });
  check(inputs, "input", options);
  check(ofAnchors(dataFlow), "anchor", options);
  check(options.activationTensorLocationSettings.location,
        "activationTensorLocationSettings", options);
  check(options.weightTensorLocationSettings.location,
        "weightTensorLocationSettings", options);
  check(options.optimizerStateTensorLocationSettings.location,
        "optimizerStateTensorLocationSettings", options);
  check(options.accumulatorTensorLocationSettings.location,
        "accumulatorTensorLocationSettings", options);
  for (const auto &[id, location] : options.tensorLocationSettingsOverride)
    check(location, "tensorLocationSettingsOverride of '" + id + "'", options);
}

} // namespace popart::session
