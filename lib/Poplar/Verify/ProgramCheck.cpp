// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowering may merge and reorder copies and compute sets, but no other nodes.
// So both sides are flattened to lists; control flow and transfers have to
// appear in the same order on both. Example:
//   graph   Copy  Execute  Copy  If  Execute
//   tiles   exchange  compute set  If  compute set
// Between two such nodes each side has its own order.

#include "lib/Poplar/Verify/ProgramCheck.h"

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/NodeKinds.h"
#include "lib/Poplar/Support/Types.h"
#include "lib/Poplar/Verify/VerifyLowering.h"
#include "runtime/Format/StepKinds.h"

#include <algorithm>

namespace poplar::core {

namespace rt = populus::runtime;
using rt::StepKind;

namespace {

constexpr std::uint64_t MostWalked = std::uint64_t(1) << 20;

/// Copies and compute sets, which have no steps of their own.
bool isStraight(const ProgramNode &node) {
  return node.kind == ProgramNode::Copy ||
         node.kind == ProgramNode::CrossReplica ||
         node.kind == ProgramNode::Execute;
}

} // namespace

ProgramCheck::ProgramCheck(const GraphImpl &graph,
                           ArrayRef<program::Program> programs,
                           const rt::Executable &exe,
                           const LoweringRecord &record)
    : graph(graph), programs(programs), exe(exe), record(record),
      places(graph, record), tags(graph, exe),
      state(exe.numTiles(), graph.variables.size()),
      sets(graph, exe, record, places, tags, state) {}

// ---- Flat lists -------------------------------------------------------------

void ProgramCheck::flatten(const ProgramNode &node, std::vector<Item> &items) {
  if (++walked > MostWalked)
    throw ProgramTooLong();
  std::uint32_t replicas = 1;
  switch (node.kind) {
  case ProgramNode::Sequence:
    for (const program::Program &child : node.children)
      flatten(*Access::node(child), items);
    return;
  case ProgramNode::AssumeEqual:
    return;
  case ProgramNode::WriteUndef:
    if (node.tensor.containsAliases())
      return;
    break;
  case ProgramNode::Print:
  case ProgramNode::CycleStamp:
    replicas = places.replicasOf(Access::view(node.tensor));
    break;
  default:
    break;
  }
  for (std::uint32_t r = 0; r != replicas; ++r)
    items.push_back({&node, r});
}

void ProgramCheck::flatten(std::uint32_t id,
                           std::vector<std::uint32_t> &steps) {
  if (++walked > MostWalked)
    throw ProgramTooLong();
  const rt::Step &step = exe.steps[id];
  if (step.kind != StepKind::Sequence || record.undefSteps.contains(id))
    return steps.push_back(id);
  for (std::uint32_t child : step.children)
    flatten(child, steps);
}

void ProgramCheck::walk(const ProgramNode &node, std::uint32_t step) {
  std::vector<Item> items;
  std::vector<std::uint32_t> steps;
  flatten(node, items);
  flatten(step, steps);
  std::size_t next = 0; // of the items
  const auto advance = [&] {
    if (next == items.size() || !isStraight(*items[next].node))
      return false;
    const ProgramNode &item = *items[next++].node;
    if (item.kind == ProgramNode::Execute)
      sets.executeInGraph(item.index);
    else
      copyInGraph(item);
    return true;
  };
  const auto finishLine = [&] {
    while (advance()) {
    }
    sets.requireNoneWaiting();
  };
  for (std::uint32_t id : steps) {
    const rt::Step &each = exe.steps[id];
    if (each.kind == StepKind::Exchange) {
      exchange(each);
    } else if (each.kind == StepKind::Execute) {
      sets.executeOnTiles(each.computeSet(), advance);
    } else {
      finishLine();
      if (next == items.size())
        throw VerifyError("step " + std::to_string(id) + " ('" + each.name +
                          "') is not in the program");
      walkControl(items[next++], id);
    }
  }
  finishLine();
  if (next != items.size())
    throw VerifyError(std::string(kindName(items[next].node->kind)) +
                      " of the program has no step");
}

void ProgramCheck::requireSame(bool same, const ProgramNode &node,
                               const rt::Step &step) const {
  if (!same)
    throw VerifyError(std::string(kindName(node.kind)) +
                      " of the program is not step '" + step.name + "'");
}

// ---- Copies -----------------------------------------------------------------

std::vector<TagRun>
ProgramCheck::runsOf(const std::vector<VariableBytes> &parts) const {
  std::vector<TagRun> runs;
  for (const VariableBytes &part : parts)
    state.variable(part.variable)
        .forEach(part.begin, part.begin + part.bytes,
                 [&](std::uint64_t begin, std::uint64_t end, Tag tag) {
                   appendRun(runs,
                             {tag.cls,
                              begin + static_cast<std::uint64_t>(tag.delta),
                              end - begin});
                 });
  return runs;
}

void ProgramCheck::copyInGraph(const ProgramNode &node) {
  std::vector<VariableBytes> sources, targets;
  const auto add = [&](const Tensor &from, std::uint32_t source,
                       const Tensor &to, std::uint32_t target) {
    for (const VariableBytes &part : places.of(Access::view(from), source))
      sources.push_back(part);
    for (const VariableBytes &part : places.of(Access::view(to), target))
      targets.push_back(part);
  };
  for (const ReplicaCopy &copy : node.replicaCopies)
    for (const auto &[source, target] : copy.receivers)
      add(copy.source, source, copy.destination, target);
  if (node.kind == ProgramNode::Copy)
    for (std::uint32_t r = 0; r != places.replicasOf(Access::view(node.tensor));
         ++r)
      add(node.source, r, node.tensor, r);
  const std::vector<TagRun> runs = runsOf(sources);
  auto run = runs.begin();
  std::uint64_t used = 0;
  for (const VariableBytes &part : targets)
    for (std::uint64_t done = 0; done != part.bytes;) {
      const std::uint64_t bytes =
          std::min(part.bytes - done, run->bytes - used);
      const std::uint64_t begin = part.begin + done;
      state.setVariable(part.variable, begin, begin + bytes,
                        tagAt(begin, run->cls, run->index + used));
      done += bytes;
      used += bytes;
      if (used == run->bytes) {
        ++run;
        used = 0;
      }
    }
}

/// Reads all pieces before it writes any. The executable's own check ensures
/// that they are disjoint.
void ProgramCheck::exchange(const rt::Step &step) {
  struct Write {
    std::uint32_t tile;
    std::uint64_t begin, end;
    Tag tag;
  };
  std::vector<Write> writes;
  const auto copy = [&](std::uint32_t fromTile, std::uint64_t from,
                        std::uint32_t toTile, std::uint64_t to,
                        std::uint64_t bytes) {
    const std::uint64_t distance = to - from;
    state.tile(fromTile).forEach(
        from, from + bytes,
        [&](std::uint64_t begin, std::uint64_t end, Tag tag) {
          writes.push_back(
              {toTile,
               begin + distance,
               end + distance,
               {tag.cls, tag.delta - static_cast<std::int64_t>(distance)}});
        });
  };
  for (const rt::CopyPiece &piece :
       exe.piecesOf(exe.exchanges[step.exchange()]))
    exe.forEachCopy(piece, [&](const rt::CopyPiece &part) {
      copy(part.srcTile, part.src, part.dstTile, part.dst, part.bytes);
    });
  for (const Write &write : writes)
    state.setTile(write.tile, write.begin, write.end, write.tag);
}

// ---- Tensors ----------------------------------------------------------------

std::vector<rt::Segment> ProgramCheck::segmentsOf(std::uint32_t tensor) const {
  const rt::Range range = exe.tensors[tensor].segments;
  const auto first = exe.segments.begin() + range.first;
  return {first, first + range.count};
}

void ProgramCheck::checkRead(const std::vector<VariableBytes> &parts,
                             std::uint32_t tensor, const std::string &by) {
  std::vector<VariableBytes> left(parts.rbegin(), parts.rend());
  for (const rt::Segment &segment : segmentsOf(tensor)) {
    std::uint64_t at = segment.address;
    for (std::uint64_t bytes = segment.bytes; bytes != 0;) {
      if (left.empty())
        throw VerifyError(by + " reads more than its tensor");
      VariableBytes &part = left.back();
      const std::uint64_t count = std::min(bytes, part.bytes);
      std::uint64_t place = at;
      for (const TagRun &wanted :
           runsOf({{part.variable, part.begin, count}})) {
        std::uint64_t done = 0;
        state.tile(segment.tile)
            .forEach(place, place + wanted.bytes,
                     [&](std::uint64_t begin, std::uint64_t end, Tag tag) {
                       const TagRun found = {
                           tag.cls,
                           begin + static_cast<std::uint64_t>(tag.delta),
                           end - begin};
                       const TagRun own = {wanted.cls, wanted.index + done,
                                           end - begin};
                       if (!tags.satisfies(own, found))
                         throw VerifyError(
                             by + " should read " +
                             places.describe({part.variable,
                                              part.begin + (begin - at), 1}) +
                             ", " + tags.describe(own.cls, own.index) +
                             "; at address " + std::to_string(begin) +
                             " of tile " + std::to_string(segment.tile) +
                             " is " + tags.describe(found.cls, found.index));
                       done += end - begin;
                     });
        place += wanted.bytes;
      }
      at += count;
      bytes -= count;
      part.begin += count;
      part.bytes -= count;
      if (part.bytes == 0)
        left.pop_back();
    }
  }
  if (!left.empty())
    throw VerifyError(by + " reads less than its tensor");
}

void ProgramCheck::write(const std::vector<VariableBytes> &parts,
                         std::uint32_t tensor, const std::string &by) {
  const std::uint32_t cls = tags.received(by);
  std::uint64_t index = 0;
  for (const VariableBytes &part : parts) {
    state.setVariable(part.variable, part.begin, part.begin + part.bytes,
                      tagAt(part.begin, cls, index));
    index += part.bytes;
  }
  std::uint64_t onTiles = 0;
  for (const rt::Segment &segment : segmentsOf(tensor)) {
    state.setTile(segment.tile, segment.address,
                  std::uint64_t(segment.address) + segment.bytes,
                  tagAt(segment.address, cls, onTiles));
    onTiles += segment.bytes;
  }
  if (index != onTiles)
    throw VerifyError(by + " writes " + std::to_string(onTiles) +
                      " bytes, not " + std::to_string(index));
}

// ---- What is neither copy nor compute set -----------------------------------

/// An undefined value may be any: the graph takes over the tiles' contents.
void ProgramCheck::undefine(const ProgramNode &node) {
  for (const VariableBytes &part : places.ofAll(Access::view(node.tensor), 1))
    places.forEachHome(part, [&](const HomeBytes &home, std::uint64_t begin,
                                 std::uint64_t end) {
      const std::uint64_t address = home.address + (begin - home.begin);
      const std::uint64_t distance = begin - address;
      std::vector<TagMap::Entry> found;
      state.tile(home.tile).forEach(
          address, address + (end - begin),
          [&](std::uint64_t at, std::uint64_t, Tag tag) {
            found.push_back({at + distance, tag});
          });
      for (std::size_t i = 0; i != found.size(); ++i) {
        const Tag tag = found[i].tag;
        state.setVariable(
            part.variable, found[i].begin,
            i + 1 == found.size() ? end : found[i + 1].begin,
            tag.cls == 0 ? tagAt(found[i].begin, tags.unset(part.variable),
                                 found[i].begin)
                         : Tag{tag.cls, tag.delta - static_cast<std::int64_t>(
                                                        distance)});
      }
    });
}

void ProgramCheck::walkControl(const Item &item, std::uint32_t id) {
  const ProgramNode &node = *item.node;
  const rt::Step &step = exe.steps[id];
  requireSame(factsOf(node.kind).step == step.kind, node, step);
  const std::string by =
      std::string(kindName(node.kind)) + " (step " + std::to_string(id) +
      (step.name.empty() ? "" : " '" + step.name + "'") + ")";
  const auto all = [&](const Tensor &tensor, std::uint32_t replicas = 1) {
    return places.ofAll(Access::view(tensor), replicas);
  };
  const auto replica = [&] {
    return places.of(Access::view(node.tensor), item.replica);
  };
  switch (node.kind) {
  case ProgramNode::StreamToDevice:
  case ProgramNode::DeviceToStream: {
    const StreamData &stream = *Access::data(node.stream);
    requireSame(step.stream() == stream.id, node, step);
    const auto parts = all(node.tensor, stream.replicas);
    return node.kind == ProgramNode::StreamToDevice
               ? write(parts, step.tensor, by)
               : checkRead(parts, step.tensor, by);
  }
  case ProgramNode::RemoteToDevice:
  case ProgramNode::DeviceToRemote: {
    const RemoteBufferData &buffer = *Access::data(node.remote);
    requireSame(step.remoteBuffer() == buffer.id &&
                    step.tensors.size() == (node.source.valid() ? 1 : 0),
                node, step);
    if (node.source.valid())
      checkRead(all(node.source, buffer.replicas), step.tensors.front(), by);
    const auto parts = all(node.tensor, buffer.replicas);
    return node.kind == ProgramNode::RemoteToDevice
               ? write(parts, step.tensor, by)
               : checkRead(parts, step.tensor, by);
  }
  case ProgramNode::HostCall: {
    const HostFunctionData &function = *Access::data(node.hostFunction);
    requireSame(step.hostFunction() == function.id &&
                    step.tensors.size() == node.tensors.size(),
                node, step);
    for (std::size_t i = 0; i != node.tensors.size(); ++i)
      if (i < function.inputs.size())
        checkRead(all(node.tensors[i], function.replicas), step.tensors[i], by);
    for (std::size_t i = function.inputs.size(); i < node.tensors.size(); ++i)
      write(all(node.tensors[i], function.replicas), step.tensors[i], by);
    return;
  }
  case ProgramNode::Print:
    return checkRead(replica(), step.tensor, by);
  case ProgramNode::CycleStamp:
    requireSame(step.stampsDifference() == (node.index != 0), node, step);
    if (node.index == 1)
      checkRead(replica(), step.tensor, by);
    return write(replica(), step.tensor, by);
  case ProgramNode::FloatControl:
    requireSame(step.values == node.values &&
                    step.tensors.size() == (node.tensor.valid() ? 1 : 0),
                node, step);
    if (node.tensor.valid())
      write(all(node.tensor), step.tensors.front(), by);
    return;
  case ProgramNode::WriteUndef:
    return undefine(node);
  case ProgramNode::Call:
    return walk(*Access::node(graph.functions[node.index]), step.function());
  case ProgramNode::If:
  case ProgramNode::Switch:
    checkRead(all(node.tensor), step.tensor, by);
    return walkBranches(node, step);
  case ProgramNode::Repeat:
    return walkRepeat(node, step);
  case ProgramNode::RepeatWhile:
    return walkRepeatWhile(node, step);
  default:
    break;
  }
  // For other kinds, the row says how the tensor is used.
  const rt::TensorUse use = rt::factsOf(step.kind)->tensor;
  if (use == rt::TensorUse::Read || use == rt::TensorUse::Modified)
    checkRead(all(node.tensor), step.tensor, by);
  if (isWritten(use))
    write(all(node.tensor), step.tensor, by);
}

void ProgramCheck::walkBranches(const ProgramNode &node, const rt::Step &step) {
  requireSame(step.children.size() == node.children.size() &&
                  (node.kind == ProgramNode::If || step.values == node.values),
              node, step);
  std::vector<TagState::Changes> ways;
  for (std::size_t i = 0; i != node.children.size(); ++i) {
    state.beginScope();
    walk(*Access::node(node.children[i]), step.children[i]);
    ways.push_back(state.undoScope());
  }
  state.join(tags, std::move(ways));
}

} // namespace poplar::core
