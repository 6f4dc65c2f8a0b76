// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions go along a tree to the first member, in which pairs of members
// combine what they have; results spread along the same tree. Members without a
// partner combine with what changes nothing.

#include "lib/PopLibs/popops/movement/ReplicaGroups.h"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

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

} // namespace

ReplicaGroups::ReplicaGroups(Graph &graph, unsigned size, unsigned stride,
                             Sequence &prog, const DebugContext &debugContext)
    : graph(graph), prog(prog), dc(debugContext),
      replicas(graph.getReplicationFactor()), members(size), stride(stride) {
  if (members == 0 || stride == 0 || replicas % (members * stride) != 0)
    throw poplibs_error("groups of " + std::to_string(members) +
                        " replicas with stride " + std::to_string(stride) +
                        " do not share out the " + std::to_string(replicas) +
                        " replicas of the graph");
}

ReplicaGroups::ReplicaGroups(Graph &graph, Sequence &prog,
                             const DebugContext &debugContext)
    : ReplicaGroups(graph, graph.getReplicationFactor(), 1, prog,
                    debugContext) {}

void ReplicaGroups::copy(const Tensor &from, const Tensor &to,
                         const std::map<unsigned, unsigned> &receivers) const {
  std::map<unsigned, unsigned> all;
  for (unsigned r = 0; r != replicas; ++r) {
    const unsigned member = r / stride % members;
    const auto receiver = receivers.find(member);
    if (receiver != receivers.end())
      all[r] = r - member * stride + receiver->second * stride;
  }
  prog.add(CrossReplicaCopy(from, to, all, dc));
}

void ReplicaGroups::broadcastFrom(unsigned root, const Tensor &t) const {
  for (unsigned known = 1; known < members; known *= 2) {
    std::map<unsigned, unsigned> receivers;
    for (unsigned i = 0; i != known && i + known < members; ++i)
      receivers[(root + i) % members] = (root + i + known) % members;
    copy(t, t, receivers);
  }
}

/// Sets \p received to what leaves \p t as it is when it is combined with it.
void ReplicaGroups::setNeutral(Operation op, const Tensor &received,
                               const Tensor &t) const {
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

void ReplicaGroups::allReduce(const Tensor &t, Operation op) const {
  const expr::BinaryOpType combine = combination(op);
  if (op == Operation::SQUARE_ADD)
    squareInPlace(graph, t, prog, dc);
  if (members == 1 || t.numElements() == 0)
    return;
  const Tensor received = graph.clone(t, {dc, "received"});
  for (unsigned distance = 1; distance < members; distance *= 2) {
    std::map<unsigned, unsigned> receivers;
    for (unsigned i = 0; i + distance < members; i += 2 * distance)
      receivers[i + distance] = i;
    setNeutral(op, received, t);
    copy(t, received, receivers);
    mapInPlace(graph, combine, t, received, prog, dc);
  }
  broadcastFrom(0, t);
}

Tensor ReplicaGroups::ownNumber() const {
  const Tensor replica = graph.addReplicationIndexConstant(dc);
  graph.setTileMapping(replica, 0);
  if (stride == 1 && members == replicas)
    return replica.reshape({1});
  namespace pe = popops::expr;
  return map(graph,
             pe::Rem(pe::Divide(pe::_1, pe::Const(stride)), pe::Const(members)),
             {replica.reshape({1})}, prog, {dc, "member"});
}

Tensor ReplicaGroups::ownPart(const Tensor &t) const {
  return dynamicSlice(graph, t, ownNumber(), {0}, {1}, prog, dc).squeeze({0});
}

Tensor ReplicaGroups::allGather(const Tensor &t) const {
  std::vector<Tensor> all;
  for (unsigned i = 0; i != members; ++i) {
    const Tensor part = poputil::duplicate(graph, t, prog, dc);
    if (t.numElements() != 0)
      broadcastFrom(i, part);
    all.push_back(part.expand({0}));
  }
  return concat(all);
}

Tensor ReplicaGroups::allToAll(const Tensor &t) const {
  const Tensor result = graph.clone(t, {dc, "exchanged"});
  if (t.numElements() == 0)
    return result;
  namespace pe = popops::expr;
  const Tensor own = ownNumber();
  // In round d, member m sends to member m + d, and receives from m - d.
  for (unsigned d = 0; d != members; ++d) {
    const auto numberPlus = [&](unsigned offset) {
      return map(
          graph,
          pe::Rem(pe::Add(pe::_1, pe::Const(offset)), pe::Const(members)),
          {own}, prog, {dc, "partner"});
    };
    const Tensor sent =
        dynamicSlice(graph, t, numberPlus(d), {0}, {1}, prog, {dc, "sent"});
    const Tensor received = graph.clone(sent, {dc, "received"});
    std::map<unsigned, unsigned> receivers;
    for (unsigned m = 0; m != members; ++m)
      receivers[m] = (m + d) % members;
    copy(sent, received, receivers);
    dynamicUpdate(graph, result, received, numberPlus(members - d), {0}, {1},
                  prog, {dc, "place"});
  }
  return result;
}

} // namespace popops
