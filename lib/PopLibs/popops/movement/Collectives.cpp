// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives of one group of all replicas.

#include <popops/Collectives.hpp>

#include "lib/PopLibs/popops/movement/ReplicaGroups.h"

#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

CollectiveOptions parse(const OptionFlags &options) {
  CollectiveOptions parsed;
  auto methods = collectiveMethods();
  std::erase_if(methods, [](const auto &method) {
    return method.second == CollectiveMethod::Broadcast;
  });
  poplibs::OptionSpec({{"method", poplibs::OptionHandler::createWithEnum(
                                      parsed.method, methods)}})
      .parse(options);
  return parsed;
}

} // namespace

Tensor replicatedAllReduce(Graph &graph, const Tensor &data, Operation op,
                           Sequence &prog, const DebugContext &debugContext,
                           const OptionFlags &options) {
  const DebugContext dc(debugContext, "ReplicatedAllReduce");
  const Tensor result = graph.clone(data, {dc, "result"});
  ReplicaGroups(graph, prog, dc, parse(options)).allReduce(data, result, op);
  return result;
}

void replicatedAllReduceInPlace(Graph &graph, const Tensor &data, Operation op,
                                Sequence &prog,
                                const DebugContext &debugContext,
                                const OptionFlags &options) {
  const DebugContext dc(debugContext, "ReplicatedAllReduce");
  ReplicaGroups(graph, prog, dc, parse(options)).allReduce(data, data, op);
}

void replicatedAllReduceWithOutput(Graph &graph, const Tensor &data,
                                   const Tensor &output, Operation op,
                                   Sequence &prog,
                                   const DebugContext &debugContext,
                                   const OptionFlags &options) {
  if (data.shape() != output.shape())
    throw poplibs_error("popops::replicatedAllReduce: data of shape " +
                        data.shapeToString() + ", output of shape " +
                        output.shapeToString());
  const DebugContext dc(debugContext, "ReplicatedAllReduce");
  ReplicaGroups(graph, prog, dc, parse(options)).allReduce(data, output, op);
}

Tensor replicatedReduceScatter(Graph &graph, const Tensor &data, Operation op,
                               Sequence &prog, const DebugContext &debugContext,
                               const OptionFlags &options) {
  const DebugContext dc(debugContext, "ReplicatedReduceScatter");
  return ReplicaGroups(graph, prog, dc, parse(options))
      .reduceScatter(data.flatten(), op);
}

Tensor replicatedAllGather(Graph &graph, const Tensor &data, Sequence &prog,
                           const DebugContext &debugContext,
                           const OptionFlags &options) {
  const DebugContext dc(debugContext, "ReplicatedAllGather");
  const ReplicaGroups groups(graph, prog, dc, parse(options));
  const Tensor result = groups.gatheredLike(data);
  groups.allGather(data, result);
  return result;
}

} // namespace popops
