// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links join all IPUs alike in the timing model, so members send to each other
// directly: that takes the fewest syncs, and no data crosses a link twice. For
// n members and data of B bytes:
//
//    broadcast    everyone gets everything and combines it; one exchange,
//                 (n-1) B bytes through the links of a member
//    in shares    everyone combines one share, and gets the others; two
//                 exchanges, 2 (n-1)/n B bytes
//
// Rings are used where an option asks for them: they take more syncs, and less
// memory.

#include "lib/PopLibs/popops/movement/ReplicaGroups.h"

#include "lib/PopLibs/popops/movement/MemberTerms.h"
#include "lib/PopLibs/popops/movement/RingCollectives.h"
#include "runtime/Target/Timing.h"

#include <popops/ElementWise.hpp>
#include <popops/Pad.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {

std::vector<std::pair<std::string, CollectiveMethod>> collectiveMethods() {
  return {{"auto", CollectiveMethod::Auto},
          {"broadcast", CollectiveMethod::Broadcast},
          {"clockwise_ring", CollectiveMethod::ClockwiseRing},
          {"anticlockwise_ring", CollectiveMethod::AnticlockwiseRing},
          {"bidirectional_ring_pair", CollectiveMethod::BidirectionalRingPair},
          {"meet_in_middle_ring", CollectiveMethod::MeetInMiddleRing},
          {"quad_directional_ring", CollectiveMethod::QuadDirectionalRing}};
}

// ---- Copies -----------------------------------------------------------------

void MemberCopies::add(const Tensor &from, unsigned sender, const Tensor &to,
                       unsigned receiver) {
  if (from.numElements() == 0)
    return;
  core::ReplicaCopy copy{from.flatten(), to.flatten(), {}};
  for (unsigned r = 0; r != replicas; ++r)
    if (r / stride % members == sender)
      copy.receivers[r] = r - sender * stride + receiver * stride;
  copies.push_back(std::move(copy));
}

void MemberCopies::exchange(Sequence &prog, const DebugContext &debugContext) {
  if (!copies.empty())
    prog.add(core::makeReplicaCopies(std::move(copies), debugContext));
  copies.clear();
}

// ---- Groups -----------------------------------------------------------------

ReplicaGroups::ReplicaGroups(Graph &graph, unsigned size, unsigned stride,
                             Sequence &prog, const DebugContext &debugContext,
                             const CollectiveOptions &options)
    : graph(graph), prog(prog), dc(debugContext),
      replicas(graph.getReplicationFactor()), members(size), stride(stride),
      options(options) {
  if (members == 0 || stride == 0 || replicas % (members * stride) != 0)
    throw poplibs_error("groups of " + std::to_string(members) +
                        " replicas with stride " + std::to_string(stride) +
                        " do not share out the " + std::to_string(replicas) +
                        " replicas of the graph");
}

ReplicaGroups::ReplicaGroups(Graph &graph, Sequence &prog,
                             const DebugContext &debugContext,
                             const CollectiveOptions &options)
    : ReplicaGroups(graph, graph.getReplicationFactor(), 1, prog, debugContext,
                    options) {}

/// Returns true if members send all of \p data to each other, false if each
/// takes a share.
bool ReplicaGroups::broadcastsFor(const Tensor &data) const {
  if (options.method != CollectiveMethod::Auto)
    return options.method == CollectiveMethod::Broadcast;
  const double bytes = static_cast<double>(data.numElements()) *
                       graph.getTarget().getTypeSize(data.elementType());
  if (options.mostBroadcastBytes)
    return bytes * members <= static_cast<double>(*options.mostBroadcastBytes);
  namespace timing = populus::runtime::timing;
  const double more = (members - 1) * (1 - 2.0 / members) * bytes;
  const double sync =
      timing::LinkLatencySeconds +
      timing::GlobalSyncCycles / graph.getTarget().getTileClockFrequency();
  return more <= sync * timing::LinkBytesPerSecond;
}

/// The ring that an option asks for, or Auto.
CollectiveMethod ReplicaGroups::ring() const {
  return options.method == CollectiveMethod::Broadcast ? CollectiveMethod::Auto
                                                       : options.method;
}

std::size_t ReplicaGroups::shareOf(const Tensor &data) const {
  return (data.numElements() + members - 1) / members;
}

/// [members, share].
Tensor ReplicaGroups::padded(const Tensor &data, std::size_t share) const {
  const std::size_t missing = share * members - data.numElements();
  Tensor all = data.flatten();
  if (missing != 0)
    all = pad(graph, all, 0, static_cast<std::ptrdiff_t>(missing), 0, 0.0f);
  return all.reshape({members, share});
}

Tensor ReplicaGroups::squaredIf(Operation op, const Tensor &data) const {
  return op == Operation::SQUARE_ADD ? square(graph, data, prog, dc) : data;
}

// ---- Reductions -------------------------------------------------------------

static std::vector<Tensor> rowsOf(const Tensor &t) {
  std::vector<Tensor> rows;
  for (std::size_t i = 0; i != t.dim(0); ++i)
    rows.push_back(t[i].flatten());
  return rows;
}

/// The elements of each share of \p t that there are.
static std::vector<Tensor> sharesOf(const Tensor &t, std::size_t share,
                                    unsigned members) {
  std::vector<Tensor> shares;
  for (std::size_t i = 0; i != members; ++i)
    shares.push_back(
        t.flatten().slice(std::min(i * share, t.numElements()),
                          std::min((i + 1) * share, t.numElements())));
  return shares;
}

Tensor ReplicaGroups::reduceScatter(const Tensor &data, Operation op) const {
  const Tensor shares = padded(squaredIf(op, data), shareOf(data));
  if (members == 1 || data.numElements() == 0)
    return ownShare(shares);
  MemberCopies copies(replicas, members, stride);
  if (ring() != CollectiveMethod::Auto)
    return RingCollectives(graph, ring(), std::move(copies), prog, dc)
        .reduceScatter(rowsOf(shares), op);
  const MemberTerms terms =
      MemberTerms::spread(graph, data, members, shares.dim(1), dc);
  for (unsigned sender = 0; sender != members; ++sender)
    for (unsigned owner = 0; owner != members; ++owner)
      copies.add(shares[owner], sender, terms.of(sender), owner);
  copies.exchange(prog, dc);
  const Tensor result =
      spreadRows(graph, data, 1, shares.dim(1), {dc, "share"})[0];
  terms.combine(graph, op, result, prog, dc);
  return result;
}

Tensor ReplicaGroups::ownShare(const Tensor &data) const {
  const Tensor shares = padded(data, shareOf(data));
  if (data.numElements() == 0)
    return shares[0];
  const Tensor result =
      spreadRows(graph, data, 1, shares.dim(1), {dc, "share"})[0];
  MemberCopies copies(replicas, members, stride);
  for (unsigned member = 0; member != members; ++member)
    copies.add(shares[member], member, result, member);
  copies.exchange(prog, dc);
  return result;
}

void ReplicaGroups::allReduce(const Tensor &data, const Tensor &result,
                              Operation op) const {
  combinationOf(op); // or it is not supported
  const Tensor terms = squaredIf(op, data);
  if (members == 1 || data.numElements() == 0) {
    prog.add(Copy(terms, result, false, dc));
    return;
  }
  if (broadcastsFor(data)) {
    MemberCopies copies(replicas, members, stride);
    // A few terms are combined where the data lie. More are spread, so that
    // each level of the tree is one operation on a tile.
    constexpr unsigned Few = 4;
    const MemberTerms received =
        members <= Few ? MemberTerms::like(graph, terms, members, dc)
                       : MemberTerms::spread(graph, terms, members,
                                             terms.numElements(), dc);
    for (unsigned sender = 0; sender != members; ++sender)
      for (unsigned receiver = 0; receiver != members; ++receiver)
        copies.add(terms, sender, received.of(sender), receiver);
    copies.exchange(prog, dc);
    return received.combine(graph, op, result, prog, dc);
  }
  const Operation sum = op == Operation::SQUARE_ADD ? Operation::ADD : op;
  const Tensor share = reduceScatter(terms, sum);
  const std::vector<Tensor> shares =
      sharesOf(result, share.numElements(), members);
  MemberCopies copies(replicas, members, stride);
  if (ring() != CollectiveMethod::Auto)
    return RingCollectives(graph, ring(), std::move(copies), prog, dc)
        .allGather(share, shares);
  for (unsigned owner = 0; owner != members; ++owner)
    for (unsigned receiver = 0; receiver != members; ++receiver)
      copies.add(share.slice(0, shares[owner].numElements()), owner,
                 shares[owner], receiver);
  copies.exchange(prog, dc);
}

// ---- Without sums -----------------------------------------------------------

Tensor ReplicaGroups::gatheredLike(const Tensor &data) const {
  std::vector<Tensor> all;
  for (unsigned i = 0; i != members; ++i)
    all.push_back(graph.clone(data, {dc, "gathered"}).expand({0}));
  return concat(all);
}

void ReplicaGroups::allGather(const Tensor &data, const Tensor &result) const {
  MemberCopies copies(replicas, members, stride);
  if (ring() != CollectiveMethod::Auto && members != 1)
    return RingCollectives(graph, ring(), std::move(copies), prog, dc)
        .allGather(data.flatten(), rowsOf(result));
  for (unsigned sender = 0; sender != members; ++sender)
    for (unsigned receiver = 0; receiver != members; ++receiver)
      copies.add(data, sender, result[sender], receiver);
  copies.exchange(prog, dc);
}

Tensor ReplicaGroups::allToAll(const Tensor &data) const {
  const Tensor result = graph.clone(data, {dc, "exchanged"});
  MemberCopies copies(replicas, members, stride);
  for (unsigned sender = 0; sender != members; ++sender)
    for (unsigned receiver = 0; receiver != members; ++receiver)
      copies.add(data[receiver], sender, result[sender], receiver);
  copies.exchange(prog, dc);
  return result;
}

void ReplicaGroups::broadcast(const Tensor &data, const Tensor &result) const {
  MemberCopies copies(replicas, members, stride);
  if (members == 1 || broadcastsFor(data)) {
    for (unsigned receiver = 0; receiver != members; ++receiver)
      copies.add(data, 0, result, receiver);
    return copies.exchange(prog, dc);
  }
  // Every member gets a share, and sends it on.
  const std::size_t share = shareOf(data);
  const std::vector<Tensor> from = sharesOf(data, share, members),
                            to = sharesOf(result, share, members);
  for (unsigned owner = 0; owner != members; ++owner)
    copies.add(from[owner], 0, to[owner], owner);
  copies.exchange(prog, dc);
  for (unsigned owner = 0; owner != members; ++owner)
    for (unsigned receiver = 0; receiver != members; ++receiver)
      if (receiver != owner)
        copies.add(to[owner], owner, to[owner], receiver);
  copies.exchange(prog, dc);
}

} // namespace popops
