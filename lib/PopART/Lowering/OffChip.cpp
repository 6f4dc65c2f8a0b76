// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OffChip.h.

#include "lib/PopART/Lowering/OffChip.h"

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Support/Error.h"

#include <algorithm>

namespace populus::popir {

using poplar::program::Copy;

/// Operators between two users that end a group.
static constexpr std::size_t LongestGap = 8;

static bool isPaged(const Value &value) {
  return value.variable() &&
         (value.variable()->remoteRows == 1 ||
          value.variable()->isKeptOnIoTiles()) &&
         !value.uses().empty() &&
         std::ranges::none_of(value.uses(), [](const Use &use) {
           const std::string &type = use.user->id().type;
           return type == "RemoteLoad" || type == "RemoteStore";
         });
}

std::vector<const Graph *> calledGraphs(const Module &module) {
  std::vector<const Graph *> called;
  for (const Graph &graph : module.graphs())
    if (&graph != &module.main() &&
        std::ranges::find(module.programs, &graph, &EntryProgram::graph) ==
            module.programs.end())
      called.push_back(&graph);
  return called;
}

void checkOffChip(const Module &module) {
  for (const Graph *graph : calledGraphs(module))
    for (const Value &value : graph->values())
      if (isPaged(value))
        failUnsupported("the variable '{}' is {}, and graph '{}', which is "
                        "called, uses it",
                        value.variable()->name,
                        value.variable()->isOffChip() ? "off chip"
                                                      : "on the I/O tiles",
                        graph->name);
}

OffChipTransfers::OffChipTransfers(const Graph &graph) {
  const Aliases aliases(graph);
  std::unordered_map<const Value *, const Value *> variables; // by group
  for (const Value &value : graph.values())
    if (isPaged(value))
      variables[aliases.groupOf(value)] = &value;
  if (variables.empty())
    return;
  std::unordered_map<const Value *, std::vector<User>> users;
  std::size_t position = 0;
  for (const Op *op : graph.ops()) {
    ++position;
    for (std::size_t i = 0; i != op->inputs().size(); ++i) {
      if (!op->hasInput(i))
        continue;
      const auto found = variables.find(aliases.groupOf(op->input(i)));
      if (found == variables.end())
        continue;
      std::vector<User> &known = users[found->second];
      if (known.empty() || known.back().op != op)
        known.push_back({op, position});
      known.back().writes |= op->effect(i).modifies || op->inPlace() == i;
    }
  }
  for (const auto &[variable, list] : users)
    addGroups(*variable, list);
}

/// Stages of a pipeline run at different times, so a group is in one of them.
bool OffChipTransfers::isSameGroup(const User &user, const User &next) {
  return next.position - user.position <= LongestGap &&
         user.op->placement().stage == next.op->placement().stage;
}

/// The operator in front of which a variable is loaded for a user. On other
/// IPUs operators run at the same time, and need no memory of this one, so the
/// load precedes them, up to `last`, the last user before. Example, on IPU 1:
///   IPU 0   A  B  IpuCopy
///   IPU 1   load w        MatMul(_, w)
const Op &OffChipTransfers::firstOf(const Op &user, const Op *last) {
  const Op *first = &user;
  if (user.placement().stage)
    return *first; // the stages of a pipeline are programs of their own
  for (const Op *op = OpList::before(user); op && op != last;
       op = OpList::before(*op)) {
    const bool isCopy = op->id().type == "IpuCopy";
    if (!isCopy && op->placement().ipu == user.placement().ipu)
      break;
    first = op;
  }
  return *first;
}

void OffChipTransfers::addGroups(const Value &variable,
                                 const std::vector<User> &users) {
  bool isWritten = false;
  for (std::size_t i = 0; i != users.size(); ++i) {
    const User &user = users[i];
    if (i == 0 || !isSameGroup(users[i - 1], user)) {
      loads[&firstOf(*user.op, i == 0 ? nullptr : users[i - 1].op)].push_back(
          &variable);
      isWritten = false;
    }
    isWritten |= user.writes;
    const bool isLast =
        i + 1 == users.size() || !isSameGroup(user, users[i + 1]);
    if (isLast && isWritten)
      stores[user.op].push_back(&variable);
  }
}

static void addLoad(const Value &value, Lowering &lowering) {
  const Variable &variable = *value.variable();
  poplar::program::Sequence &program = lowering.program();
  const poplar::Tensor memory = lowering.get(value);
  const poplar::Tensor first =
      variable.viaIoTiles ? lowering.onIoTilesOf(value) : memory;
  if (variable.isOffChip())
    program.add(Copy(lowering.remoteBuffer(variable), first, value.name));
  if (variable.viaIoTiles)
    program.add(Copy(first, memory, false, value.name));
}

static void addStore(const Value &value, Lowering &lowering) {
  const Variable &variable = *value.variable();
  poplar::program::Sequence &program = lowering.program();
  const poplar::Tensor memory = lowering.get(value);
  const poplar::Tensor last =
      variable.viaIoTiles ? lowering.onIoTilesOf(value) : memory;
  if (variable.viaIoTiles)
    program.add(Copy(memory, last, false, value.name));
  if (variable.isOffChip())
    program.add(Copy(last, lowering.remoteBuffer(variable), value.name));
}

void OffChipTransfers::load(const Op &next, Lowering &lowering) const {
  if (const auto found = loads.find(&next); found != loads.end())
    for (const Value *value : found->second)
      addLoad(*value, lowering);
}

void OffChipTransfers::store(const Op &last, Lowering &lowering) const {
  if (const auto found = stores.find(&last); found != stores.end())
    for (const Value *value : found->second)
      addStore(*value, lowering);
}

} // namespace populus::popir
