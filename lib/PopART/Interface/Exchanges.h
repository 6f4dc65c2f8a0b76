// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles and the overlap of a session's transfers with the host: TileSet and
// ExchangeStrategy of inputs, which the metadata of a model have, and of
// anchors.

#ifndef POPULUS_LIB_POPART_INTERFACE_EXCHANGES_H
#define POPULUS_LIB_POPART_INTERFACE_EXCHANGES_H

#include "lib/PopART/Lowering/ProgramOptions.h"

#include <popart/dataflow.hpp>
#include <popart/sessionoptions.hpp>

#include <map>
#include <string>

namespace onnx {
class ModelProto;
}

namespace popart::session {

using Exchanges = std::map<std::string, populus::popir::HostTransfer>;

/// The inputs of a model that do not come directly, by name.
Exchanges inputExchanges(const onnx::ModelProto &model);
Exchanges anchorExchanges(const DataFlow &dataFlow);

/// Throws an error if an input of the model, an anchor, or a kind of variables
/// wants what the options do not allow.
void checkExchanges(const std::string &model, const DataFlow &dataFlow,
                    const SessionOptions &options);

} // namespace popart::session

#endif
