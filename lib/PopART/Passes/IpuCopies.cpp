// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IpuCopies: what an operator reads from another IPU is copied to its own, once
// for all who read it there. Constants are on each IPU from the beginning.

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Passes/Passes.h"

#include <fmt/format.h>

#include <map>

namespace populus::popir {

/// Where a value is: a variable has one place for all graphs, and what no
/// operator computes is where its first reader is.
static std::optional<std::int64_t> homeOf(Value &value, const Op &firstUser) {
  const auto home =
      (value.producer() ? *value.producer() : firstUser).placement().ipu;
  if (!value.variable())
    return home;
  if (!value.variable()->ipu)
    value.variable()->ipu = home;
  return value.variable()->ipu;
}

/// Copies one value to the IPUs on which it is read, in front of the first
/// reader there.
static std::size_t copyValue(Graph &graph, Value &value) {
  const std::vector<Op *> users = value.users();
  if (users.empty())
    return 0;
  const auto home = homeOf(value, *users.front());
  std::map<std::int64_t, Value *> copies;
  for (Op *user : users) {
    const auto ipu = user->placement().ipu;
    if (!ipu || ipu == home)
      continue;
    Value *&copy = copies[*ipu];
    const std::string name = fmt::format("{}_c{}", value.name, *ipu);
    if (!copy && value.isConstant()) // it may have to be known there
      copy = &graph.addConstant(graph.uniqueName(name), value.constant());
    if (!copy) {
      copy = &graph.addValue(graph.uniqueName(name), value.info);
      OpSpec spec{newestOf("ai.graphcore", "IpuCopy"),
                  copy->name,
                  {},
                  1,
                  1,
                  user->placement()};
      graph.addOp(createOp(std::move(spec)), {&value}, {copy}, user);
    }
    for (std::size_t i = 0; i != user->inputs().size(); ++i)
      if (user->inputs()[i] == &value)
        graph.setInput(*user, i, copy);
  }
  return copies.size();
}

std::size_t copyBetweenIpus(Module &module, const PassOptions &options) {
  std::size_t changes = 0;
  if (options.numIpus == 1)
    return changes;
  for (Graph &graph : module.graphs())
    for (Value &value : graph.values())
      changes += copyValue(graph, value);
  return changes;
}

} // namespace populus::popir
