// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions go along a tree to replica 0, in which pairs of replicas combine
// what they have; results spread along the same tree. Every replica runs the
// same vertices, those without a partner on what changes nothing.

#include <popops/Collectives.hpp>

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Pad.hpp>
#include <popops/Zero.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <map>
#include <sstream>

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

expr::BinaryOpType combination(Operation op) {
  switch (op) {
  case Operation::ADD:
  case Operation::SQUARE_ADD:
    return expr::BinaryOpType::ADD;
  case Operation::MUL:
    return expr::BinaryOpType::MULTIPLY;
  case Operation::MIN:
    return expr::BinaryOpType::MINIMUM;
  case Operation::MAX:
    return expr::BinaryOpType::MAXIMUM;
  case Operation::LOGICAL_AND:
    return expr::BinaryOpType::LOGICAL_AND;
  case Operation::LOGICAL_OR:
    return expr::BinaryOpType::LOGICAL_OR;
  default:
    break;
  }
  std::ostringstream text;
  text << "popops: " << op << " across replicas is not supported";
  throw poplibs_error(text.str());
}

/// Spreads what replica \p root has in \p t to all.
void broadcastFrom(unsigned root, unsigned replicas, const Tensor &t,
                   Sequence &prog, const DebugContext &dc) {
  for (unsigned known = 1; known < replicas; known *= 2) {
    std::map<unsigned, unsigned> receivers;
    for (unsigned i = 0; i != known && i + known < replicas; ++i)
      receivers[(root + i) % replicas] = (root + i + known) % replicas;
    prog.add(CrossReplicaCopy(t, t, receivers, dc));
  }
}

/// Sets \p received to what leaves \p t as it is when it is combined with it.
void setNeutral(Graph &graph, Operation op, const Tensor &received,
                const Tensor &t, Sequence &prog, const DebugContext &dc) {
  switch (op) {
  case Operation::ADD:
  case Operation::SQUARE_ADD:
    zero(graph, received, prog, dc);
    break;
  case Operation::MUL:
    mapWithOutput(graph, expr::Cast(expr::Const(1.0f), received.elementType()),
                  {t}, received, prog, dc);
    break;
  default:
    prog.add(Copy(t, received, false, dc));
  }
}

/// Combines \p t of all replicas, in place.
void allReduce(Graph &graph, const Tensor &t, Operation op, Sequence &prog,
               const DebugContext &dc) {
  const expr::BinaryOpType combine = combination(op);
  if (op == Operation::SQUARE_ADD)
    squareInPlace(graph, t, prog, dc);
  const unsigned replicas = graph.getReplicationFactor();
  if (replicas == 1 || t.numElements() == 0)
    return;
  const Tensor received = graph.clone(t, {dc, "received"});
  for (unsigned distance = 1; distance < replicas; distance *= 2) {
    std::map<unsigned, unsigned> receivers;
    for (unsigned i = 0; i + distance < replicas; i += 2 * distance)
      receivers[i + distance] = i;
    setNeutral(graph, op, received, t, prog, dc);
    prog.add(CrossReplicaCopy(t, received, receivers, dc));
    mapInPlace(graph, combine, t, received, prog, dc);
  }
  broadcastFrom(0, replicas, t, prog, dc);
}

} // namespace

Tensor replicatedAllReduce(Graph &graph, const Tensor &data, Operation op,
                           Sequence &prog, const DebugContext &debugContext,
                           const OptionFlags &options) {
  checkOptions(options);
  const DebugContext dc(debugContext, "ReplicatedAllReduce");
  const Tensor result = poputil::duplicate(graph, data, prog, dc);
  allReduce(graph, result, op, prog, dc);
  return result;
}

void replicatedAllReduceInPlace(Graph &graph, const Tensor &data, Operation op,
                                Sequence &prog,
                                const DebugContext &debugContext,
                                const OptionFlags &options) {
  checkOptions(options);
  allReduce(graph, data, op, prog, {debugContext, "ReplicatedAllReduce"});
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
  const Tensor replica = graph.addReplicationIndexConstant(dc);
  graph.setTileMapping(replica, 0);
  return dynamicSlice(graph, padded.reshape({replicas, each}),
                      replica.reshape({1}), {0}, {1}, prog, dc)
      .flatten();
}

Tensor replicatedAllGather(Graph &graph, const Tensor &data, Sequence &prog,
                           const DebugContext &debugContext,
                           const OptionFlags &options) {
  checkOptions(options);
  const DebugContext dc(debugContext, "ReplicatedAllGather");
  const unsigned replicas = graph.getReplicationFactor();
  std::vector<Tensor> all;
  for (unsigned i = 0; i != replicas; ++i) {
    const Tensor part = poputil::duplicate(graph, data, prog, dc);
    if (data.numElements() != 0)
      broadcastFrom(i, replicas, part, prog, dc);
    all.push_back(part.expand({0}));
  }
  return concat(all);
}

} // namespace popops
