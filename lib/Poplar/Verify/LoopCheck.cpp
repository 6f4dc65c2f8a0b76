// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks loops, and the set of all programs, which the host may run in any
// order like bodies of one loop. The check is a fixed point over one round.
// Example: Repeat { x = f(x); t = g(x) }, with address A as home of x and t in
// B:
//
//   before the round   x, A: same value    assume it for each round: tag H0
//                      t, B: not the same  different tags: t is H1, B is H2
//   the body           f reads x / A       H0 on both sides: correct
//                      f writes x / A      E5 on both sides
//   end of the round   x, A: both E5       the assumption holds: done
//
// If x and A differ at the end, the assumption is dropped for these bytes, and
// the body is walked again with different tags for x and A.

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Support/Types.h"
#include "lib/Poplar/Verify/ProgramCheck.h"
#include "lib/Poplar/Verify/VerifyLowering.h"

#include <algorithm>
#include <utility>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

/// Calls visit(begin, end, same) for parts of a variable; `same` is true if the
/// variable and its home address hold equal tags.
template <typename Visit>
void compareHome(const TagState &state, const TagTable &tags,
                 std::uint32_t variable, std::uint64_t begin, std::uint64_t end,
                 std::uint32_t tile, std::uint64_t address, Visit visit) {
  const std::uint64_t distance = address - begin;
  state.variable(variable).forEach(
      begin, end, [&](std::uint64_t b, std::uint64_t e, Tag tag) {
        state.tile(tile).forEach(
            b + distance, e + distance,
            [&](std::uint64_t from, std::uint64_t to, Tag other) {
              const std::uint64_t at = from - distance;
              visit(at, to - distance,
                    tags.equal({tag.cls,
                                at + static_cast<std::uint64_t>(tag.delta),
                                to - from},
                               {other.cls,
                                from + static_cast<std::uint64_t>(other.delta),
                                to - from}));
            });
      });
}

} // namespace

// ---- Rounds -----------------------------------------------------------------

void ProgramCheck::holdHome(Loop &loop, std::uint32_t variable,
                            const HomeBytes &home, std::uint64_t begin,
                            std::uint64_t end, std::vector<Held> &others) {
  const std::uint64_t address = home.address + (begin - home.begin);
  compareHome(
      state, tags, variable, begin, end, home.tile, address,
      [&](std::uint64_t b, std::uint64_t e, bool same) {
        const auto at = static_cast<std::uint32_t>(address + (b - begin));
        const auto add = [&](std::uint64_t from, std::uint64_t to, bool held) {
          (held ? loop.held : others)
              .push_back({variable, from, to - from, home.tile,
                          static_cast<std::uint32_t>(at + (from - b))});
        };
        const auto known = loop.notHeld.find(variable);
        if (!same || known == loop.notHeld.end())
          return add(b, e, same);
        known->second.forEach(b, e,
                              [&](std::uint64_t from, std::uint64_t to,
                                  Tag tag) { add(from, to, tag.cls == 0); });
      });
}

/// Assigns new tags to all bytes that the loop changes.
void ProgramCheck::beginRound(Loop &loop) {
  const std::uint32_t id = ++loops;
  std::vector<Held> others;
  loop.held.clear();
  loop.isRight = true;
  for (const auto &[variable, changed] : loop.changed.variables) {
    changed.forEachRange(
        [&, v = variable](std::uint64_t begin, std::uint64_t end) {
          places.forEachHome(
              {v, begin, end - begin},
              [&](const HomeBytes &home, std::uint64_t b, std::uint64_t e) {
                holdHome(loop, v, home, b, e, others);
              });
        });
  }
  std::map<std::uint32_t, std::uint32_t> heads; // by tile
  for (const auto &[tile, changed] : loop.changed.tiles) {
    const std::uint32_t head = heads[tile] = tags.head(tile, id);
    changed.forEachRange([&, t = tile](std::uint64_t begin, std::uint64_t end) {
      state.setTile(t, begin, end, {head, 0});
    });
  }
  for (const Held &held : loop.held) {
    const auto changed = loop.changed.tiles.find(held.tile);
    if (changed == loop.changed.tiles.end())
      continue;
    const std::uint64_t distance = held.begin - held.address;
    changed->second.forEach(
        held.address, std::uint64_t(held.address) + held.bytes,
        [&](std::uint64_t begin, std::uint64_t end, Tag isChanged) {
          if (isChanged.cls != 0)
            state.setVariable(
                held.variable, begin + distance, end + distance,
                {heads[held.tile], -static_cast<std::int64_t>(distance)});
        });
  }
  std::map<std::uint32_t, std::uint32_t> privates; // by variable
  for (const Held &other : others) {
    const auto [found, isNew] = privates.try_emplace(other.variable, 0);
    if (isNew)
      found->second = tags.privateOf(other.variable, id);
    state.setVariable(other.variable, other.begin, other.begin + other.bytes,
                      {found->second, 0});
  }
}

/// Checks that the assumptions of the round hold again for the next one.
void ProgramCheck::endRound(Loop &loop) {
  for (const Held &held : loop.held)
    compareHome(state, tags, held.variable, held.begin, held.begin + held.bytes,
                held.tile, held.address,
                [&](std::uint64_t begin, std::uint64_t end, bool same) {
                  if (same)
                    return;
                  loop.notHeld[held.variable].assign(begin, end, Tag{1, 0});
                  loop.isRight = false;
                });
}

void ProgramCheck::walkLoop(ChangedPlaces changed,
                            const std::function<void(Loop &)> &body) {
  Loop loop;
  loop.changed = std::move(changed);
  for (;;) {
    state.beginScope();
    beginRound(loop);
    body(loop);
    if (loop.isRight)
      break;
    state.undoScope();
  }
  state.endScope();
}

void ProgramCheck::walkRepeat(const ProgramNode &node, const rt::Step &step) {
  requireSame(step.repeatCount() == node.index && step.children.size() == 1,
              node, step);
  const ProgramNode &body = *Access::node(node.children[0]);
  if (node.index == 0)
    return;
  if (node.index == 1)
    return walk(body, step.children[0]);
  ChangedPlacesFinder finder(graph, exe, places, sets);
  finder.add(body);
  finder.add(step.children[0]);
  walkLoop(finder.take(), [&](Loop &loop) {
    walk(body, step.children[0]);
    endRound(loop);
  });
}

void ProgramCheck::walkRepeatWhile(const ProgramNode &node,
                                   const rt::Step &step) {
  requireSame(step.repeatsWhileTrue() == node.flag && step.children.size() == 2,
              node, step);
  ChangedPlacesFinder finder(graph, exe, places, sets);
  for (std::size_t i : {0, 1}) {
    finder.add(*Access::node(node.children[i]));
    finder.add(step.children[i]);
  }
  walkLoop(finder.take(), [&](Loop &loop) {
    walk(*Access::node(node.children[0]), step.children[0]);
    checkRead(places.ofAll(Access::view(node.tensor), 1), step.tensor,
              "the condition of loop '" + step.name + "'");
    // The loop may end here: the memory after the condition is the result.
    state.beginScope();
    walk(*Access::node(node.children[1]), step.children[1]);
    endRound(loop);
    state.undoScope();
  });
}

// ---- All programs -----------------------------------------------------------

/// Sets the initial contents of memory.
void ProgramCheck::loadData() {
  std::vector<std::uint32_t> ofPayload;
  for (std::uint32_t i = 0; i != exe.payloads.size(); ++i)
    ofPayload.push_back(tags.data(i));
  for (std::uint32_t id = 0; id != places.numVariables(); ++id) {
    if (!places.isUsed(id))
      continue;
    const Variable &variable = graph.variables[id];
    if (variable.data.empty()) {
      const std::uint32_t unset = tags.unset(id);
      state.setVariable(id, 0, places.bytesOf(id), {unset, 0});
      for (const HomeBytes &home : places.homesOf(id))
        if (home.isOwn)
          state.setTile(home.tile, home.address,
                        std::uint64_t(home.address) + home.bytes,
                        tagAt(home.address, unset, home.begin));
      continue;
    }
    const std::uint32_t initial = tags.initial(id);
    const unsigned elementBytes = sizeOf(variable.type);
    const auto &parts = places.partsOf(id);
    for (std::size_t i = 0; i + 1 != parts.size(); ++i) {
      // Replicas may share the data.
      const std::uint64_t from =
          parts[i].begin * elementBytes % variable.data.size();
      const std::uint64_t bytes =
          (parts[i + 1].begin - parts[i].begin) * elementBytes;
      state.setVariable(id, parts[i].place, parts[i].place + bytes,
                        tagAt(parts[i].place, initial, from));
    }
  }
  for (const rt::DataBlock &block : exe.data)
    state.setTile(block.tile, block.address,
                  std::uint64_t(block.address) + block.bytes,
                  tagAt(block.address, ofPayload[block.payload], block.offset));
}

/// Models that the host may or may not write before a run.
void ProgramCheck::writeFromHost() {
  std::vector<TagState::Changes> ways(1); // in which it does not
  state.beginScope();
  for (std::size_t i = 0; i != graph.hostHandles.size(); ++i)
    if (graph.hostHandles[i].writable)
      write(places.ofAll(graph.hostHandles[i].tensor, 1),
            exe.hostTensors[i].tensor,
            "the host, through '" + graph.hostHandles[i].handle + "',");
  ways.push_back(state.undoScope());
  state.join(tags, std::move(ways));
}

void ProgramCheck::checkHostReads(const std::string &when) {
  for (std::size_t i = 0; i != graph.hostHandles.size(); ++i)
    if (graph.hostHandles[i].readable)
      checkRead(places.ofAll(graph.hostHandles[i].tensor, 1),
                exe.hostTensors[i].tensor,
                "the host, through '" + graph.hostHandles[i].handle + "', " +
                    when);
}

void ProgramCheck::walkPrograms() {
  ChangedPlacesFinder finder(graph, exe, places, sets);
  for (const program::Program &program : programs)
    finder.add(*Access::node(program));
  for (std::uint32_t root : exe.programs)
    finder.add(root);
  for (std::size_t i = 0; i != graph.hostHandles.size(); ++i)
    if (graph.hostHandles[i].writable) {
      finder.addView(graph.hostHandles[i].tensor, 1);
      finder.addTensor(exe.hostTensors[i].tensor);
    }
  walkLoop(finder.take(), [&](Loop &loop) {
    for (std::size_t i = 0; i != programs.size(); ++i) {
      state.beginScope();
      writeFromHost();
      walk(*Access::node(programs[i]), exe.programs[i]);
      checkHostReads("behind program " + std::to_string(i));
      endRound(loop);
      state.undoScope();
    }
  });
}

void ProgramCheck::run() {
  if (exe.programs.size() != programs.size() ||
      exe.hostTensors.size() != graph.hostHandles.size())
    throw VerifyError("it has other programs or handles than the graph");
  loadData();
  checkHostReads("before the first program");
  walkPrograms();
}

} // namespace poplar::core
