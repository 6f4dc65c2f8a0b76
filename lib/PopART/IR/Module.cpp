// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of a module, walks over its graphs, and copies of graphs.

#include "lib/PopART/IR/Module.h"

#include "lib/PopART/Support/Error.h"

#include <algorithm>
#include <unordered_set>

namespace populus::popir {

Module::Module(std::string name) : name(std::move(name)) {}
Module::~Module() = default;

Graph &Module::addGraph(const std::string &name) {
  return graphList.emplace_back(*this, newGraphName(name));
}

Graph &Module::addGraphBefore(const Graph &next, const std::string &name) {
  const auto place = std::ranges::find_if(
      graphList, [&](const Graph &graph) { return &graph == &next; });
  return *graphList.emplace(place, *this, newGraphName(name));
}

std::string Module::newGraphName(const std::string &stem) const {
  std::string name = stem;
  for (unsigned i = 1; findGraph(name); ++i)
    name = fmt::format("{}/{}", stem, i);
  return name;
}

Graph *Module::findGraph(const std::string &name) const {
  auto found = std::ranges::find(graphList, name, &Graph::name);
  return found == graphList.end() ? nullptr : const_cast<Graph *>(&*found);
}

void Module::removeGraph(Graph &graph) {
  std::erase_if(graphList,
                [&](const Graph &other) { return &other == &graph; });
}

std::size_t Module::removeUnusedGraphs() {
  std::unordered_set<const Graph *> used;
  auto use = [&](const Graph &root) {
    used.insert(&root);
    for (const Graph *callee : reachableFrom(root))
      used.insert(callee);
  };
  use(main());
  for (const EntryProgram &program : programs)
    use(*program.graph);
  return std::erase_if(
      graphList, [&](const Graph &graph) { return !used.contains(&graph); });
}

Variable &Module::addVariable(const std::string &name, TensorInfo info,
                              std::shared_ptr<const HostTensor> initial) {
  if (findVariable(name))
    failInput("the variable '{}' is defined twice", name);
  Variable &variable = variableList.emplace_back(
      Variable{name, std::move(info), std::move(initial)});
  variableOfName[name] = &variable;
  return variable;
}

Variable *Module::findVariable(const std::string &name) {
  auto found = variableOfName.find(name);
  return found == variableOfName.end() ? nullptr : found->second;
}

void Module::removeVariable(Variable &variable) {
  variableOfName.erase(variable.name);
  variableList.remove_if([&](const Variable &v) { return &v == &variable; });
}

std::size_t Module::removeUnusedVariables() {
  std::unordered_set<const Variable *> used;
  forEachGraph(*this, [&](const Graph &graph) {
    for (const Value &value : graph.values())
      if (value.variable())
        used.insert(value.variable());
  });
  for (Variable &variable : variableList)
    if (variable.layout && !used.contains(variable.layout))
      variable.layout = nullptr;
  std::erase_if(variableOfName, [&](const auto &entry) {
    return !used.contains(entry.second);
  });
  return std::erase_if(variableList, [&](const Variable &variable) {
    return !used.contains(&variable);
  });
}

Graph &Module::main() {
  if (!programs.empty())
    return *programs.front().graph;
  if (graphList.empty())
    fail(ErrorKind::Internal, "module '{}' has no graph", name);
  return graphList.back();
}

static void visit(Graph &graph, const std::function<void(Graph &)> &function) {
  for (Op *op : graph.ops())
    for (const auto &body : op->bodies())
      visit(*body, function);
  function(graph);
}

void forEachGraph(Module &module,
                  const std::function<void(Graph &)> &function) {
  for (Graph &graph : module.graphs())
    visit(graph, function);
}

namespace {

void addCallees(const Graph &graph, std::unordered_set<const Graph *> &known,
                std::vector<Graph *> &list) {
  for (Graph *callee : graph.callees())
    if (known.insert(callee).second) {
      addCallees(*callee, known, list);
      list.push_back(callee);
    }
}

/// Maps a value of another graph to its copy; creates the copies of constants
/// and variables on first use.
Value *counterpart(const Value *value, Graph &to,
                   std::unordered_map<const Value *, Value *> &known) {
  if (!value)
    return nullptr;
  Value *&copy = known[value];
  if (copy)
    return copy;
  if (value->variable())
    return copy = &to.useVariable(*value->variable());
  if (!value->isConstant())
    fail(ErrorKind::Internal, "'{}' is copied before what computes it",
         value->name);
  return copy = &to.addConstant(to.uniqueName(value->name), value->constant());
}

} // namespace

std::vector<Graph *> reachableFrom(const Graph &graph) {
  std::unordered_set<const Graph *> known;
  std::vector<Graph *> list;
  addCallees(graph, known, list);
  return list;
}

void copyOps(const Graph &from, Graph &to,
             std::unordered_map<const Value *, Value *> &known, Op *before) {
  std::unordered_map<const Op *, Op *> copies;
  for (const Op *op : from.ops()) {
    std::vector<Value *> inputs, outputs;
    for (const Value *input : op->inputs())
      inputs.push_back(counterpart(input, to, known));
    for (const Value *output : op->outputs())
      outputs.push_back(output ? known[output] = &to.addValue(
                                     to.uniqueName(output->name), output->info)
                               : nullptr);
    Op &copy =
        to.addOp(op->clone(), std::move(inputs), std::move(outputs), before);
    copies[op] = &copy;
    for (const Op *earlier : op->runsAfter())
      to.addOrder(*copies.at(earlier), copy);
  }
}

void cloneInto(const Graph &graph, Graph &copy) {
  std::unordered_map<const Value *, Value *> known;
  for (const Value *argument : graph.arguments())
    known[argument] = &copy.addArgument(argument->name, argument->info);
  copyOps(graph, copy, known);
  for (const GraphResult &result : graph.results())
    copy.addResult(result.name, *counterpart(result.value, copy, known));
}

} // namespace populus::popir
