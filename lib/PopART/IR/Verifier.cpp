// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of a module, graph by graph.

#include "lib/PopART/IR/Verifier.h"

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/Support/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace populus::popir {

namespace {

class GraphVerifier {
public:
  GraphVerifier(const Graph &graph, const std::string &path,
                std::vector<std::string> &problems)
      : graph(graph), path(path), problems(problems) {}

  void run() {
    for (const Value &value : graph.values())
      checkUses(value);
    for (const Op *op : graph.ops())
      checkOp(*op);
    checkResults();
    if (problems.empty())
      checkMemory();
  }

private:
  template <class... Args>
  void report(fmt::format_string<Args...> format, Args &&...args) {
    problems.push_back(
        fmt::format("graph '{}': {}", path,
                    fmt::format(format, std::forward<Args>(args)...)));
  }

  void checkUses(const Value &value) {
    known.insert(&value);
    for (const Use &use : value.uses())
      if (use.operand >= use.user->inputs().size() ||
          use.user->inputs()[use.operand] != &value ||
          use.user->graph() != &graph)
        report("'%{}' lists a use that {} does not have", value.name,
               use.user->describe());
  }

  void checkOp(const Op &op) {
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      if (op.hasInput(i))
        checkOperand(op, op.input(i));
    for (std::size_t i = 0; i != op.outputs().size(); ++i)
      if (op.hasOutput(i) &&
          (op.output(i).producer() != &op || op.output(i).resultNumber() != i))
        report("{} is not what computes its result '%{}'", op.describe(),
               op.output(i).name);
    checkTypes(op);
    checkCallees(op);
    for (const Op *earlier : op.runsAfter())
      if (earlier->graph() != &graph || !earlier->isBefore(op))
        report("{} has to run after {}, which does not stand before it",
               op.describe(), earlier->describe());
    if (op.inPlace())
      checkInPlace(op);
    for (const auto &body : op.bodies())
      GraphVerifier(*body, path + "/" + op.describe(), problems).run();
  }

  void checkOperand(const Op &op, const Value &operand) {
    if (!known.contains(&operand))
      report("{} uses a value of another graph", op.describe());
    else if (operand.producer() && !operand.producer()->isBefore(op))
      report("{} uses '%{}' before it is computed", op.describe(),
             operand.name);
    else if (operand.isArgument() &&
             std::ranges::count(graph.arguments(), &operand) != 1)
      report("nothing computes '%{}', which {} uses", operand.name,
             op.describe());
  }

  void checkTypes(const Op &op) {
    std::vector<TensorInfo> infos;
    try {
      infos = op.infer();
    } catch (const Error &error) {
      return report("{}", error.what());
    }
    for (std::size_t i = 0; i != op.outputs().size(); ++i) {
      if (!op.hasOutput(i))
        continue;
      if (i >= infos.size())
        report("{} has no result {}", op.describe(), i);
      else if (op.output(i).info != infos[i])
        report("result {} of {} is {}, and '%{}' is {}", i, op.describe(),
               toString(infos[i]), op.output(i).name,
               toString(op.output(i).info));
    }
  }

  void checkCallees(const Op &op) {
    for (const Graph *callee : op.callees()) {
      const auto &graphs = graph.module().graphs();
      if (std::ranges::none_of(
              graphs, [&](const Graph &other) { return &other == callee; }))
        report("{} calls a graph that is not in the module", op.describe());
    }
  }

  void checkInPlace(const Op &op) {
    const std::size_t operand = *op.inPlace();
    if (!op.hasInput(operand) || !op.hasOutput(0))
      return report("{} computes in place of operand {}, and has no such "
                    "operand or no result",
                    op.describe(), operand);
    if (op.input(operand).info.shape != op.output().info.shape)
      report("{} computes {} in place of {}", op.describe(),
             toString(op.output().info), toString(op.input(operand).info));
    if (!op.canComputeInPlace(operand))
      report("{} cannot compute in place of operand {}", op.describe(),
             operand);
  }

  void checkResults() {
    std::set<std::string> names;
    for (const GraphResult &result : graph.results()) {
      if (!names.insert(result.name).second)
        report("it returns '{}' twice", result.name);
      if (!known.contains(result.value))
        report("it returns a value of another graph as '{}'", result.name);
      else if (result.value->isArgument() &&
               std::ranges::count(graph.arguments(), result.value) != 1)
        report("nothing computes '%{}', which it returns", result.value->name);
    }
  }

  // ---- Memory ---------------------------------------------------------------

  /// An operator that computes in place must run after all readers of the old
  /// contents. A value is reported once. Updates of variables and of arguments
  /// are exempt: readers are meant to see them.
  void checkMemory() {
    findModified();
    if (modified.empty())
      return;
    for (const Value &value : graph.values())
      if (!value.producer() && mayBeModified(value))
        addOwner(value);
    for (const Op *op : graph.ops()) {
      for (std::size_t i = 0; i != op->inputs().size(); ++i)
        if (op->hasInput(i) && op->effect(i).modifies)
          for (const Value *owner : ownersOf[&op->input(i)])
            checkModified(*op, i, sharing[owner]);
      for (std::size_t i = 0; i != op->outputs().size(); ++i)
        if (op->hasOutput(i) && mayBeModified(op->output(i)))
          addResult(*op, i);
    }
  }

  /// Most values are never modified in place; only the others are checked.
  void findModified() {
    aliases.emplace(graph);
    for (const Op *op : graph.ops())
      for (std::size_t i = 0; i != op->inputs().size(); ++i)
        if (op->hasInput(i) && op->effect(i).modifies)
          modified.insert(aliases->groupOf(op->input(i)));
  }
  bool mayBeModified(const Value &value) const {
    return modified.contains(aliases->groupOf(value));
  }

  void addOwner(const Value &value) {
    ownersOf[&value] = {&value};
    sharing[&value].push_back(&value);
  }

  /// Records the owners of a result's memory: the owners of the values that it
  /// may alias. Beyond a limit on their number the result is not tracked.
  void addResult(const Op &op, std::size_t index) {
    constexpr std::size_t Most = 32;
    const Value &result = op.output(index);
    std::vector<const Value *> owners;
    bool isOwn = true;
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      if (op.hasInput(i) && op.mayAlias(index, i)) {
        isOwn = false;
        for (const Value *owner : ownersOf[&op.input(i)])
          if (std::ranges::find(owners, owner) == owners.end())
            owners.push_back(owner);
      }
    if (isOwn)
      return addOwner(result);
    if (owners.size() > Most)
      return;
    for (const Value *owner : owners)
      sharing[owner].push_back(&result);
    ownersOf[&result] = std::move(owners);
  }

  void checkModified(const Op &op, std::size_t operand,
                     std::vector<const Value *> &values) {
    for (const Value *value : values) {
      if (value->isConstant())
        report("{} overwrites the constant '%{}'", op.describe(), value->name);
      if (value->variable() || op.inPlace() != operand)
        continue;
      const bool isReadLater =
          value->isGraphResult() ||
          std::ranges::any_of(value->uses(), [&](const Use &use) {
            return op.isBefore(*use.user);
          });
      if (isReadLater)
        report("{} overwrites '%{}', which is read later", op.describe(),
               value->name);
    }
    if (op.inPlace() == operand)
      std::erase_if(values,
                    [](const Value *value) { return !value->variable(); });
  }

  const Graph &graph;
  const std::string path;
  std::vector<std::string> &problems;
  std::optional<Aliases> aliases;
  /// Groups of values whose memory is modified.
  std::unordered_set<const Value *> modified;
  std::unordered_set<const Value *> known;
  /// By value, the owners of the memory that it may lie in; by owner, the
  /// values that may lie there and are still valid.
  std::unordered_map<const Value *, std::vector<const Value *>> ownersOf,
      sharing;
};

/// A graph that calls itself, directly or through others, or null.
const Graph *findRecursion(const Graph &graph,
                           std::vector<const Graph *> &callers,
                           std::unordered_set<const Graph *> &done) {
  if (std::ranges::find(callers, &graph) != callers.end())
    return &graph;
  if (!done.insert(&graph).second)
    return nullptr;
  callers.push_back(&graph);
  for (const Graph *callee : graph.callees())
    if (const Graph *found = findRecursion(*callee, callers, done))
      return found;
  callers.pop_back();
  return nullptr;
}

} // namespace

std::vector<std::string> verify(const Module &module) {
  std::vector<std::string> problems;
  std::unordered_set<const Graph *> done;
  for (const Graph &graph : module.graphs()) {
    std::vector<const Graph *> callers;
    if (const Graph *recursive = findRecursion(graph, callers, done))
      return {fmt::format("graph '{}' calls itself", recursive->name)};
  }
  for (const Graph &graph : module.graphs())
    GraphVerifier(graph, graph.name, problems).run();
  for (const EntryProgram &program : module.programs)
    if (!program.graph || !module.findGraph(program.graph->name))
      problems.push_back(fmt::format(
          "program '{}' is not a graph of the module", program.name));
  return problems;
}

void verifyOrFail(const Module &module, const std::string &when) {
  constexpr std::size_t Most = 5;
  std::vector<std::string> problems = verify(module);
  if (problems.empty())
    return;
  problems.resize(std::min(problems.size(), Most));
  fail(ErrorKind::Internal, "internal error after {}: {}", when,
       fmt::join(problems, "; "));
}

} // namespace populus::popir
