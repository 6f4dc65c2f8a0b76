// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IpuCopies: copies operands to the IPU of the operator that reads them. All
// readers on an IPU share a copy, until the original is written; later readers
// get a new copy. An operator that writes a copy also writes the original
// afterwards. Constants are loaded on each IPU and need no copies; nor do
// buffers in the host's memory, which each IPU accesses by itself. An operator
// that calls a graph on several IPUs reads an operand where the graph does.

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/IR/PlacedIpus.h"
#include "lib/PopART/IR/VarUpdate.h"
#include "lib/PopART/Ops/Control/CallingOp.h"
#include "lib/PopART/Passes/Passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace populus::popir {

namespace {

using Ipu = std::optional<std::int64_t>;

Ipu homeOf(Value &value);

/// The operator if it calls graphs that are on several IPUs; else null.
const CallingOp *callerOfSeveral(const Op &op) {
  return !op.callees().empty() && placedIpus(op).size() > 1
             ? dynamic_cast<const CallingOp *>(&op)
             : nullptr;
}

/// The IPU on which an operator reads an operand.
Ipu readerOf(const Op &user, std::size_t operand) {
  if (const CallingOp *caller = callerOfSeveral(user))
    for (const CallingOp::Passed &passed : caller->passed())
      if (passed.operand == operand)
        if (const Ipu inside =
                homeOf(*passed.graph->arguments()[passed.argument]))
          return inside;
  return user.placement().ipu;
}

/// The IPU of a result: that of what the graph returns, or, for a value that a
/// loop carries, of the argument that carries it.
Ipu homeOfResult(const Op &op, std::size_t result) {
  const CallingOp *caller = callerOfSeveral(op);
  if (!caller)
    return op.placement().ipu;
  const Graph &callee = *op.callees().front();
  Value &inside = result < caller->numCarried()
                      ? *callee.arguments()[1 + result]
                      : *callee.results()[caller->firstResult() + result].value;
  const Ipu home = homeOf(inside);
  return home ? home : op.placement().ipu;
}

/// The IPU of a value. A variable has one IPU for all graphs; an argument or
/// constant is on the IPU of its first user.
Ipu homeOf(Value &value) {
  if (value.producer())
    return homeOfResult(*value.producer(), value.resultNumber());
  const std::vector<Op *> users = value.users();
  Ipu first;
  if (!users.empty()) {
    const auto &inputs = users.front()->inputs();
    first = readerOf(*users.front(),
                     std::ranges::find(inputs, &value) - inputs.begin());
  }
  if (!value.variable())
    return first;
  if (!value.variable()->ipu)
    value.variable()->ipu = first;
  return value.variable()->ipu;
}

/// True if the operators move single rows of the value.
bool isRemoteBuffer(const Value &value) {
  return value.variable() && value.variable()->isOffChip() &&
         std::ranges::any_of(value.uses(), [](const Use &use) {
           const std::string &type = use.user->id().type;
           return type == "RemoteLoad" || type == "RemoteStore";
         });
}

class IpuCopies {
public:
  explicit IpuCopies(Graph &graph) : graph(graph) {}

  std::size_t run() {
    moveUpdates();
    const Writers writers(graph);
    std::vector<Value *> values;
    for (Value &value : graph.values())
      values.push_back(&value);
    for (Value *value : values)
      if (!isRemoteBuffer(*value))
        copyValue(*value, writers.of(*value));
    return changes;
  }

private:
  /// Moves variable updates to the IPU of the variable.
  void moveUpdates() {
    for (Op *op : graph.ops())
      if (isVarUpdate(*op))
        op->placement().ipu = homeOf(*op->inputs()[0]);
  }

  /// Copies a value to the IPUs on which it is read, in front of the first
  /// reader there.
  void copyValue(Value &value, const std::vector<const Op *> &writers) {
    const Ipu home = homeOf(value);
    // By IPU, and number of earlier writes of the memory.
    std::map<std::pair<Ipu, std::size_t>, Value *> copies;
    for (Op *user : value.users())
      for (std::size_t i = 0; i != user->inputs().size(); ++i) {
        if (user->inputs()[i] != &value)
          continue;
        Placement place = user->placement();
        place.ipu = readerOf(*user, i);
        if (!place.ipu || place.ipu == home)
          continue;
        const auto writes = static_cast<std::size_t>(
            std::ranges::count_if(writers, [&](const Op *writer) {
              return writer != user && writer->isBefore(*user);
            }));
        Value *&copy = copies[{place.ipu, writes}];
        if (!copy)
          copy = &copyTo(value, place, *user);
        readCopy(*user, i, *copy, home);
      }
  }

  Value &copyTo(Value &value, const Placement &place, Op &before) {
    ++changes;
    const std::string name =
        graph.uniqueName(fmt::format("{}_c{}", value.name, *place.ipu));
    if (value.isConstant()) // it may have to be known there
      return graph.addConstant(name, value.constant());
    Value &copy = graph.addValue(name, value.info);
    OpSpec spec{newestOf("ai.graphcore", "IpuCopy"), name, {}, 1, 1, place};
    graph.addOp(createOp(std::move(spec)), {&value}, {&copy}, &before);
    return copy;
  }

  /// Replaces an operand by a copy. If the operator writes it, the copy is
  /// written back to the value.
  void readCopy(Op &user, std::size_t operand, Value &copy, Ipu home) {
    Value &value = *user.inputs()[operand];
    const bool isWritten =
        user.effect(operand).modifies && user.inPlace() != operand;
    graph.setInput(user, operand, &copy);
    if (!isWritten || copy.isConstant())
      return;
    Placement place = user.placement();
    place.ipu = home;
    Value &written = addVarUpdate(graph, value, copy, place);
    Op &update = *written.producer();
    graph.moveBefore(update, OpList::after(user));
    graph.setInput(update, 1, &copyTo(copy, place, update));
  }

  Graph &graph;
  std::size_t changes = 0;
};

} // namespace

std::size_t copyBetweenIpus(Module &module, const PassOptions &options) {
  std::size_t changes = 0;
  if (options.numIpus == 1)
    return changes;
  for (Graph &graph : module.graphs())
    changes += IpuCopies(graph).run();
  return changes;
}

} // namespace populus::popir
