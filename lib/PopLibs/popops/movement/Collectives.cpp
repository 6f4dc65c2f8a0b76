// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives of one group of all replicas.

#include <popops/Collectives.hpp>

#include "lib/PopLibs/popops/movement/ReplicaGroups.h"

#include <popops/Pad.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

void checkOptions(const OptionFlags &options) {
  unsigned choice = 0;
  std::vector<std::pair<std::string, unsigned>> methods;
  for (const char *name : {"auto", "clockwise_ring", "anticlockwise_ring",
                           "bidirectional_ring_pair", "meet_in_middle_ring",
                           "quad_directional_ring"})
    methods.emplace_back(name, methods.size());
  poplibs::OptionSpec(
      {{"method", poplibs::OptionHandler::createWithEnum(choice, methods)}})
      .parse(options);
}

} // namespace

Tensor replicatedAllReduce(Graph &graph, const Tensor &data, Operation op,
                           Sequence &prog, const DebugContext &debugContext,
                           const OptionFlags &options) {
  checkOptions(options);
  const DebugContext dc(debugContext, "ReplicatedAllReduce");
  const Tensor result = poputil::duplicate(graph, data, prog, dc);
  ReplicaGroups(graph, prog, dc).allReduce(result, op);
  return result;
}

void replicatedAllReduceInPlace(Graph &graph, const Tensor &data, Operation op,
                                Sequence &prog,
                                const DebugContext &debugContext,
                                const OptionFlags &options) {
  checkOptions(options);
  const DebugContext dc(debugContext, "ReplicatedAllReduce");
  ReplicaGroups(graph, prog, dc).allReduce(data, op);
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
  prog.add(Copy(data, output, false, debugContext));
  replicatedAllReduceInPlace(graph, output, op, prog, debugContext, options);
}

Tensor replicatedReduceScatter(Graph &graph, const Tensor &data, Operation op,
                               Sequence &prog, const DebugContext &debugContext,
                               const OptionFlags &options) {
  const DebugContext dc(debugContext, "ReplicatedReduceScatter");
  const Tensor all =
      replicatedAllReduce(graph, data.flatten(), op, prog, dc, options);
  const std::size_t replicas = graph.getReplicationFactor();
  const std::size_t each = (all.numElements() + replicas - 1) / replicas;
  Tensor padded = all;
  if (each * replicas != all.numElements())
    padded = pad(graph, all, 0,
                 static_cast<std::ptrdiff_t>(each * replicas) -
                     static_cast<std::ptrdiff_t>(all.numElements()),
                 0, 0.0f);
  return ReplicaGroups(graph, prog, dc)
      .ownPart(padded.reshape({replicas, each}));
}

Tensor replicatedAllGather(Graph &graph, const Tensor &data, Sequence &prog,
                           const DebugContext &debugContext,
                           const OptionFlags &options) {
  checkOptions(options);
  const DebugContext dc(debugContext, "ReplicatedAllGather");
  return ReplicaGroups(graph, prog, dc).allGather(data);
}

} // namespace popops
