// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/PopLibs/popops/movement/RingCollectives.h"

#include "lib/PopLibs/popops/movement/MemberTerms.h"

#include <popops/ElementWise.hpp>

#include <algorithm>
#include <numeric>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

std::vector<unsigned> clockwise(unsigned members) {
  std::vector<unsigned> ring(members);
  std::iota(ring.begin(), ring.end(), 0);
  return ring;
}

/// Up the even members of the ladder, and down the odd ones.
std::vector<unsigned> aroundLadder(unsigned members) {
  std::vector<unsigned> ring;
  for (unsigned i = 0; i < members; i += 2)
    ring.push_back(i);
  for (unsigned i = members; i-- != 0;)
    if (i % 2 != 0)
      ring.push_back(i);
  return ring;
}

std::vector<unsigned> reversed(std::vector<unsigned> ring) {
  std::reverse(ring.begin(), ring.end());
  return ring;
}

} // namespace

RingCollectives::RingCollectives(Graph &graph, CollectiveMethod method,
                                 MemberCopies newCopies, Sequence &prog,
                                 const DebugContext &dc)
    : graph(graph), copies(std::move(newCopies)), prog(prog), dc(dc) {
  const unsigned members = copies.size();
  const unsigned all = members - 1;
  const auto add = [&](std::vector<unsigned> ring, unsigned part,
                       unsigned steps) {
    if (steps != 0)
      lanes.push_back({std::move(ring), part, steps, {}, {}, {}});
  };
  const std::vector<unsigned> one = clockwise(members),
                              other = aroundLadder(members);
  switch (method) {
  case CollectiveMethod::ClockwiseRing:
    add(one, 0, all);
    break;
  case CollectiveMethod::AnticlockwiseRing:
    add(reversed(one), 0, all);
    break;
  case CollectiveMethod::MeetInMiddleRing:
    add(one, 0, all - all / 2);
    add(reversed(one), 0, all / 2);
    break;
  case CollectiveMethod::QuadDirectionalRing:
    parts = 4;
    add(other, 2, all);
    add(reversed(other), 3, all);
    add(one, 0, all);
    add(reversed(one), 1, all);
    break;
  default:
    parts = 2;
    add(one, 0, all);
    add(reversed(one), 1, all);
  }
}

Tensor RingCollectives::partOf(const Tensor &t, unsigned part) const {
  const std::size_t each = (share + parts - 1) / parts;
  const auto bound = [&](std::size_t i) {
    return std::min(i * each, t.numElements());
  };
  return t.slice(bound(part), bound(part + 1));
}

unsigned RingCollectives::mostSteps() const {
  unsigned most = 0;
  for (const Lane &lane : lanes)
    most = std::max(most, lane.steps);
  return most;
}

/// The second of two lanes with the same part ends at the sum of the first.
bool RingCollectives::addsOwn(std::size_t lane, unsigned step) const {
  return step + 1 != lanes[lane].steps || lane == 0 ||
         lanes[lane - 1].part != lanes[lane].part;
}

void RingCollectives::addStep(const Lane &lane, unsigned step,
                              const std::vector<Tensor> &shares, bool withOwn) {
  const unsigned members = copies.size();
  for (unsigned i = 0; i != members; ++i) {
    const Tensor term =
        partOf(shares[lane.member(i + lane.steps - step)], lane.part);
    const unsigned receiver = lane.member(i + 1);
    copies.add(step == 0 ? term : lane.sum, lane.member(i), lane.arriving,
               receiver);
    if (withOwn)
      copies.add(term, receiver, lane.own, receiver);
  }
}

Tensor RingCollectives::reduceScatter(const std::vector<Tensor> &shares,
                                      Operation op) {
  const expr::BinaryOpType how = combinationOf(op);
  share = shares[0].numElements();
  for (Lane &lane : lanes) {
    const auto rows =
        spreadRows(graph, concat(shares), 3,
                   partOf(shares[0], lane.part).numElements(), {dc, "ring"});
    lane.sum = rows[0];
    lane.arriving = rows[1];
    lane.own = rows[2];
  }
  // All lanes end together.
  for (unsigned left = mostSteps(); left-- != 0;) {
    std::vector<Tensor> sums, arriving, own;
    for (std::size_t i = 0; i != lanes.size(); ++i) {
      const Lane &lane = lanes[i];
      if (left >= lane.steps)
        continue;
      const unsigned step = lane.steps - 1 - left;
      addStep(lane, step, shares, addsOwn(i, step));
      if (addsOwn(i, step)) {
        sums.push_back(lane.sum);
        arriving.push_back(lane.arriving);
        own.push_back(lane.own);
      }
    }
    copies.exchange(prog, dc);
    mapWithOutput(graph, how, concat(arriving), concat(own), concat(sums), prog,
                  dc);
  }
  std::vector<Tensor> result(parts);
  for (std::size_t i = 0; i != lanes.size(); ++i) {
    const Lane &lane = lanes[i];
    if (addsOwn(i, lane.steps - 1))
      result[lane.part] = lane.sum;
    else
      mapInPlace(graph, how, result[lane.part], lane.arriving, prog, dc);
  }
  return concat(result);
}

void RingCollectives::allGather(const Tensor &t,
                                const std::vector<Tensor> &results) {
  share = t.numElements();
  const unsigned members = copies.size();
  for (unsigned i = 0; i != members; ++i)
    copies.add(t.slice(0, results[i].numElements()), i, results[i], i);
  for (unsigned step = 0; step != mostSteps(); ++step) {
    for (const Lane &lane : lanes)
      for (unsigned i = 0; i != members && step < lane.steps; ++i) {
        const unsigned owner = lane.member(i + members - step);
        const Tensor part = partOf(results[owner], lane.part);
        const Tensor from =
            step == 0 ? partOf(t, lane.part).slice(0, part.numElements())
                      : part;
        copies.add(from, lane.member(i), part, lane.member(i + 1));
      }
    copies.exchange(prog, dc);
  }
}

} // namespace popops
