// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A whole program of the IR: its graphs, the variables that live as long as the
// program is loaded (weights, the state of optimizers, accumulators), and the
// programs that the host can run, each of which is a graph. Every front end
// makes modules, all passes edit them, and lowering walks them.

#ifndef POPULUS_LIB_POPART_IR_MODULE_H
#define POPULUS_LIB_POPART_IR_MODULE_H

#include "lib/PopART/IR/Graph.h"
#include "lib/PopART/IR/Op.h"

#include <list>

namespace populus::popir {

/// Memory that keeps its contents between the runs of programs. Graphs name it
/// by a value (Graph::useVariable), which operators read and update.
struct Variable {
  std::string name;
  TensorInfo info;
  /// Its contents when the program is loaded; null: zeros.
  std::shared_ptr<const HostTensor> initial;
  /// An earlier variable of the same shape whose tile mapping this one copies;
  /// null: the first reader chooses the mapping.
  const Variable *layout = nullptr;
  /// Its IPU; nothing: the IPU of its first reader.
  std::optional<std::int64_t> ipu;
  /// Rows of a buffer in the host's memory (Lowering/OffChip.h); 0: the
  /// variable lies on the tiles.
  std::int64_t remoteRows = 0;
  /// A variable off chip moves through the I/O tiles; any other one is kept on
  /// these while no operator uses it.
  bool viaIoTiles = false;

  bool isOffChip() const { return remoteRows != 0; }
  bool isKeptOnIoTiles() const { return viaIoTiles && !isOffChip(); }
};

/// A program that the host can run, by name.
struct EntryProgram {
  std::string name;
  Graph *graph = nullptr;
};

class Module {
public:
  explicit Module(std::string name = "module");
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  std::string name;

  /// Adds a graph. A number is appended to a name that is taken.
  Graph &addGraph(const std::string &name);
  /// The same in front of another graph, which may call it.
  Graph &addGraphBefore(const Graph &next, const std::string &name);
  Graph *findGraph(const std::string &name) const;
  /// Removes a graph that no operator calls and no program is.
  void removeGraph(Graph &graph);
  const std::list<Graph> &graphs() const { return graphList; }
  std::list<Graph> &graphs() { return graphList; }
  /// Removes the graphs that no program reaches. Returns how many.
  std::size_t removeUnusedGraphs();

  /// The name must be new.
  Variable &addVariable(const std::string &name, TensorInfo info,
                        std::shared_ptr<const HostTensor> initial = {});
  Variable *findVariable(const std::string &name);
  const std::list<Variable> &variables() const { return variableList; }
  /// Removes a variable that no graph names.
  void removeVariable(Variable &variable);
  /// Removes the variables that no graph names. Returns how many.
  std::size_t removeUnusedVariables();

  /// The graph of the model: of the first program, or, without programs, the
  /// last one.
  Graph &main();
  const Graph &main() const { return const_cast<Module *>(this)->main(); }

  std::vector<EntryProgram> programs;

private:
  std::string newGraphName(const std::string &stem) const;

  std::list<Graph> graphList;
  std::list<Variable> variableList;
  std::unordered_map<std::string, Variable *> variableOfName;
};

/// Calls `function` with each graph of a module, also with the bodies of
/// operators, which come before the graph that they are in.
void forEachGraph(Module &module, const std::function<void(Graph &)> &function);

/// The graphs that `graph` calls, directly or through others, each after those
/// that it calls itself.
std::vector<Graph *> reachableFrom(const Graph &graph);

/// Copies the operators of a graph, with all that they use, into another one.
/// `known` maps values of `from` (such as its arguments) to values of `to`; the
/// call adds the values that it copies. Variables are shared, not copied.
void copyOps(const Graph &from, Graph &to,
             std::unordered_map<const Value *, Value *> &known,
             Op *before = nullptr);

/// Makes an empty graph a copy of another one, with the same arguments and
/// results.
void cloneInto(const Graph &graph, Graph &copy);

} // namespace populus::popir

#endif
