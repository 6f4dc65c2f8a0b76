// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions of the control program. Each replica follows its own value. While
// they agree, one walk over the steps serves all of them. Where they differ,
// the session walks the branches one after the other, each with the replicas
// that have taken it:
//
//     step             replica 0     replica 1
//     If               true          false
//     then: execute    0..100        .
//     else: execute    .             0..40
//     exchange 0 -> 1  100..130      40..130
//
// In such a walk a step touches the tiles of these replicas only, and advances
// only their clocks, so their branches overlap in time. A step that needs all
// replicas at once cannot run there and is refused: an exchange between
// replicas, a sync of IPUs, a transfer that is not replicated.

#include "runtime/Format/StepKinds.h"
#include "runtime/Session/SessionImpl.h"
#include "runtime/Session/TensorIo.h"

#include <algorithm>
#include <functional>
#include <set>

namespace populus::runtime {

namespace {

/// The choice of a replica that does not run.
constexpr std::size_t NoChoice = ~std::size_t(0);

bool isSet(std::span<const std::byte> data) {
  return std::any_of(data.begin(), data.end(),
                     [](std::byte b) { return b != std::byte(0); });
}

std::int32_t wordOf(std::span<const std::byte> element) {
  std::int32_t value;
  std::memcpy(&value, element.data(), sizeof(value));
  return value;
}

} // namespace

void SessionImpl::refuseBranch(const std::string &what) const {
  throw RunError("replica " + std::to_string(active->firstOther()) +
                 " is not in the branch of another replica, and " + what +
                 "; there let all replicas take the same branches: reduce the "
                 "tensor that decides over the replicas");
}

/// Calls take(replica, element) for each replica that runs; a tensor that is
/// not replicated counts as one of replica 0.
template <typename Take>
void SessionImpl::forEachElement(std::uint32_t tensor, Take take) {
  const std::vector<std::byte> data = readAll(tensor);
  const std::size_t bytes = sizeOf(program->tensors[tensor].type);
  const auto count = static_cast<std::uint32_t>(data.size() / bytes);
  if (active && count != active->numReplicas())
    refuseBranch("a tensor that is not replicated decides in it");
  for (std::uint32_t r = 0; r != count; ++r)
    if (!active || active->has(r))
      take(r, std::span(data).subspan(r * bytes, bytes));
}

/// The replicas with \p members that follow a tensor with an element for each.
/// Throws RunError where they are not equal shares of all tiles.
ReplicaSet SessionImpl::replicasOf(std::uint32_t tensor,
                                   const std::vector<bool> &members) const {
  const auto count = static_cast<std::uint32_t>(members.size());
  const TensorLayout &layout = program->tensors[tensor];
  const std::size_t bytes = sizeOf(layout.type);
  bool isWhole = program->numTiles() % count == 0;
  const ReplicaSet set(program->numTiles(), members);
  std::size_t offset = 0;
  for (std::uint32_t i = 0; isWhole && i != layout.segments.count; ++i) {
    const Segment &segment = program->segments[layout.segments.first + i];
    isWhole =
        segment.bytes == 0 || set.replicaOf(segment.tile) == offset / bytes;
    offset += segment.bytes;
  }
  if (!isWhole)
    throw RunError("replica " + std::to_string(set.firstOther()) +
                   " decides otherwise than another one, which only replicas "
                   "that share all tiles of the program evenly can do; reduce "
                   "the tensor that decides over the replicas");
  return set;
}

/// Runs the child of \p step that \p choose(element) names for each replica.
template <typename Choose>
void SessionImpl::branch(std::uint32_t index, Choose choose) {
  const Step &step = program->steps[index];
  decide(index);
  std::vector<std::size_t> choices; // by replica
  forEachElement(step.tensor,
                 [&](std::uint32_t r, std::span<const std::byte> element) {
                   choices.resize(r, NoChoice);
                   choices.push_back(choose(element));
                 });
  std::set<std::size_t> children(choices.begin(), choices.end());
  children.erase(NoChoice);
  if (children.size() == 1)
    return runChild(step, *children.begin());
  if (active)
    choices.resize(active->numReplicas(), NoChoice);
  for (std::size_t child : children) {
    std::vector<bool> members;
    for (std::size_t choice : choices)
      members.push_back(choice == child);
    const std::optional<ReplicaSet> outer = active;
    const std::uint32_t control = floatControl;
    active = replicasOf(step.tensor, members);
    runChild(step, child);
    requireFloatControl(control);
    active = outer;
  }
}

/// Replicas that go different ways share the settings of the session.
void SessionImpl::requireFloatControl(std::uint32_t before) const {
  if (floatControl != before)
    refuseBranch("the branch changes how vertices handle exceptions of "
                 "floating point and rounding");
}

void SessionImpl::runIf(std::uint32_t index) {
  branch(index, [](std::span<const std::byte> element) {
    return isSet(element) ? 0 : 1;
  });
}

void SessionImpl::switchTo(std::uint32_t index) {
  const std::vector<std::int32_t> &values = program->steps[index].values;
  branch(index, [&](std::span<const std::byte> element) {
    return std::find(values.begin(), values.end(), wordOf(element)) -
           values.begin();
  });
}

/// Replicas whose predicate ends the loop wait for the others at its end.
void SessionImpl::repeatWhile(std::uint32_t index, const Step &step) {
  const bool wanted = step.repeatsWhileTrue();
  const std::optional<ReplicaSet> outer = active;
  std::optional<std::uint32_t> controlOfEnded;
  for (;;) {
    runChild(step, 0);
    decide(index);
    std::vector<bool> goOn;
    std::size_t numRunning = 0, numGoing = 0;
    forEachElement(step.tensor,
                   [&](std::uint32_t r, std::span<const std::byte> element) {
                     goOn.resize(r + 1);
                     goOn[r] = isSet(element) == wanted;
                     ++numRunning;
                     numGoing += goOn[r];
                   });
    if (numGoing != numRunning && controlOfEnded)
      requireFloatControl(*controlOfEnded);
    if (numGoing == 0)
      break;
    if (numGoing != numRunning) {
      if (active)
        goOn.resize(active->numReplicas());
      active = replicasOf(step.tensor, goOn);
      controlOfEnded = floatControl;
    }
    runChild(step, 1);
  }
  active = outer;
}

/// Returns whether the tensor is set on any replica that runs.
bool SessionImpl::anySet(std::uint32_t tensor) {
  bool any = false;
  forEachElement(tensor,
                 [&](std::uint32_t, std::span<const std::byte> element) {
                   any |= isSet(element);
                 });
  return any;
}

/// A word on which all replicas that run have to agree.
std::int32_t SessionImpl::control(std::uint32_t tensor) {
  std::optional<std::int32_t> value;
  forEachElement(tensor, [&](std::uint32_t r,
                             std::span<const std::byte> element) {
    const std::int32_t word = wordOf(element);
    if (value && word != *value)
      throw RunError("replica " + std::to_string(r) +
                     " restores other settings of floating point than the "
                     "replicas before it, but there is one for all of them");
    value = word;
  });
  return *value;
}

// ---- Steps of some replicas -------------------------------------------------

/// Returns whether a replica takes part in a transfer of \p replicas of them.
bool SessionImpl::runsReplica(std::uint32_t replica, std::uint32_t replicas,
                              const std::string &what) const {
  if (!active)
    return true;
  if (replicas != active->numReplicas())
    refuseBranch(what + " is not replicated");
  return active->has(replica);
}

/// Returns whether the replica of a tensor runs, which belongs to one.
bool SessionImpl::runsTensor(std::uint32_t tensor) const {
  const Range range = program->tensors[tensor].segments;
  return !active || range.count == 0 ||
         active->hasTile(program->segments[range.first].tile);
}

/// The parts of a step on IPUs that run.
std::span<const StepPart> SessionImpl::partsOf(std::uint32_t index) {
  const std::span<const StepPart> all = costs.of(index);
  if (!active)
    return all;
  activeParts.clear();
  for (const StepPart &part : all) {
    const auto runs = [&](std::uint32_t clock) {
      return active->hasSomeOf(costs.ioTiles().ipuOf(clock) *
                                   program->tilesPerIpu,
                               program->tilesPerIpu);
    };
    const auto count = std::count_if(part.ipus.begin(), part.ipus.end(), runs);
    if (count != 0 && count != std::ptrdiff_t(part.ipus.size()))
      refuseBranch("the IPUs of replicas wait for each other in it");
    if (count != 0)
      activeParts.push_back(part);
  }
  return activeParts;
}

/// Writes the elements on tiles that run.
void SessionImpl::writeActive(std::uint32_t tensor, const std::byte *data) {
  const Range range = program->tensors[tensor].segments;
  for (std::uint32_t i = 0; i != range.count; ++i) {
    const Segment &segment = program->segments[range.first + i];
    if (segment.bytes != 0 && memory.holds(segment.tile) &&
        runsTile(segment.tile))
      std::memcpy(memory.at(segment.tile, segment.address), data,
                  segment.bytes);
    data += segment.bytes;
  }
}

/// The copies of an exchange between tiles of one replica each.
void SessionImpl::exchangeWithin(std::uint32_t index) {
  const Exchange &exchange = program->exchanges[index];
  std::vector<CopyPiece> copies;
  for (const CopyPiece &piece : program->piecesOf(exchange))
    program->forEachPart(piece, [&](const CopyPiece &part) {
      program->forEachCopy(part, [&](const CopyPiece &copy) {
        const bool runs = active->hasTile(copy.srcTile);
        if (active->replicaOf(copy.srcTile) !=
                active->replicaOf(copy.dstTile) &&
            (runs || active->hasTile(copy.dstTile)))
          refuseBranch("'" + exchange.name + "' in it copies between replicas");
        if (runs && memory.holds(copy.srcTile))
          copies.push_back(copy);
      });
    });
  const auto copyRange = [&](std::size_t first, std::size_t last, unsigned) {
    for (std::size_t i = first; i != last; ++i)
      std::memcpy(memory.at(copies[i].dstTile, copies[i].dst),
                  memory.at(copies[i].srcTile, copies[i].src), copies[i].bytes);
  };
  pool.runRanges(copies.size(), std::cref(copyRange));
  if (device->isChecking())
    for (const CopyPiece &copy : copies)
      device->copied(copy);
}

} // namespace populus::runtime
