// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The import of nodes: those of the model, of the bodies of control flow, and
// of functions. All end up in one flat graph, but for bodies that stay graphs
// of their own, each with an importer (ControlFlowGraphs.cpp). A scope says
// which tensor a name of the model stands for.
//
// A node that cannot be imported is a problem that is remembered; nodes that
// depend on it are left out, so that the other problems are found as well.

#ifndef POPULUS_LIB_POPART_IMPORT_BODY_H
#define POPULUS_LIB_POPART_IMPORT_BODY_H

#include "lib/PopART/IR/Graph.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Import/Bounds.h"
#include "lib/PopART/Import/ExpansionCheck.h"
#include "lib/PopART/Import/Folding.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Support/Error.h"

#include <onnx/onnx_pb.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace populus::popir {

struct Decomposition;

/// A sequence of tensors, or an optional value that is not there.
struct Sequence {
  std::vector<Value *> elements;
  bool isNothing = false;
};

/// What a name of the model stands for: a tensor, null where there is none, or
/// a sequence.
struct Named {
  Named(Value *tensor = nullptr,
        std::shared_ptr<const Sequence> sequence = nullptr)
      : tensor(tensor), sequence(std::move(sequence)) {}

  Value *tensor;
  std::shared_ptr<const Sequence> sequence;
};

/// Names that are visible to nodes.
class Scope {
public:
  /// Makes what stands in an inner graph for a tensor of the graph around it.
  using Capture = std::function<Value *(Value &)>;

  /// The scope of the model.
  explicit Scope(Opsets opsets) : opsetMap(std::move(opsets)) {}
  /// A body inside another scope, whose names it sees.
  Scope(const Scope &parent, const std::string &name)
      : parent(&parent), opsetMap(parent.opsetMap),
        namePrefix(parent.namePrefix + name + "/") {}
  /// A body that becomes a graph of its own.
  Scope(const Scope &parent, const std::string &name, Capture capture)
      : parent(&parent), opsetMap(parent.opsetMap),
        namePrefix(parent.namePrefix + name + "/"),
        capture(std::move(capture)) {}
  /// A function, which sees nothing of its caller.
  Scope(const Scope &caller, const std::string &name, Opsets opsets)
      : opsetMap(std::move(opsets)),
        namePrefix(caller.namePrefix + name + "/") {}

  /// Null for a tensor whose producer could not be imported; nothing where the
  /// name is unknown.
  std::optional<Value *> find(const std::string &name) const;
  void bind(const std::string &name, Value *tensor) { names[name] = tensor; }

  /// Null where the name is not that of a sequence.
  std::shared_ptr<const Sequence> findSequence(const std::string &name) const;
  void bindSequence(const std::string &name,
                    std::shared_ptr<const Sequence> sequence) {
    sequences[name] = std::move(sequence);
  }
  void bind(const std::string &name, const Named &named) {
    if (named.sequence)
      bindSequence(name, named.sequence);
    else
      bind(name, named.tensor);
  }

  /// The names of this scope alone.
  const std::map<std::string, Value *> &ownNames() const { return names; }

  const Opsets &opsets() const { return opsetMap; }
  const std::string &prefix() const { return namePrefix; }

private:
  const Scope *parent = nullptr;
  std::map<std::string, Value *> names;
  std::map<std::string, std::shared_ptr<const Sequence>> sequences;
  Opsets opsetMap;
  std::string namePrefix;
  Capture capture;
};

/// What could not be imported, and the worst kind of it.
class Problems {
public:
  void add(const Error &error);
  /// One Error with all of them, if there are any; an UnknownValue where inputs
  /// of the model have to be known.
  void throwIfAny() const;

private:
  std::vector<std::string> texts;
  std::set<std::string> unknownInputs;
  ErrorKind kind = ErrorKind::Unsupported;
};

class BodyImporter {
public:
  BodyImporter(const onnx::ModelProto &model, Graph &graph,
               const FoldingBudget &folding)
      : model(model), graph(graph), folding(folding), folder(folding) {}

  /// Initializers and nodes, or those of them that come behind the first ones.
  void addGraph(const onnx::GraphProto &body, Scope &scope,
                int knownInitializers = 0, int knownNodes = 0);
  void addNode(const onnx::NodeProto &node, Scope &scope);

  /// Adds an operator that the model does not have by itself, of the newest
  /// version that is registered; returns its output.
  Value &makeOp(const std::string &type, std::vector<Value *> inputs,
                Attributes attributes, const std::string &stem);
  /// The same for an operator of any domain with several results. The version
  /// of `id` does not count.
  std::vector<Value *> makeOps(OperatorId id, std::vector<Value *> inputs,
                               Attributes attributes, const std::string &stem,
                               std::size_t count);
  Value &makeConstant(HostTensor value, const std::string &stem);

  /// Problems of all nodes that were added.
  Problems problems;
  /// Nodes that were left out, as were those that depend on them, for they read
  /// padding: problems where their results are wanted.
  Problems readers;

  /// Initializers of the model that are variables of the module; others are
  /// constants.
  std::function<bool(const onnx::TensorProto &)> isVariable;

  /// Which operators get a bound; null in graphs of control flow, where none
  /// does.
  Bounds *bounds = nullptr;

  /// The first result of a node of the model that is a double and computed on
  /// the device; null where there is none.
  const Value *firstDouble = nullptr;

private:
  Value &addInitializer(const onnx::TensorProto &tensor, const Scope &scope);
  void importNode(const onnx::NodeProto &node, Scope &scope);
  void addOperator(const onnx::NodeProto &node, Scope &scope);
  bool addBounded(const onnx::NodeProto &node, Scope &scope);
  void refusePadded(const onnx::NodeProto &node, const Scope &scope) const;
  void addFunction(const onnx::NodeProto &node,
                   const onnx::FunctionProto &function, Scope &scope);
  bool addSchemaFunction(const onnx::NodeProto &node, Scope &scope);
  bool addDecomposition(const onnx::NodeProto &node,
                        const Decomposition &decomposition, Scope &scope);

  // Control flow (ControlFlow.cpp).

  /// What a Scan does with its inputs and results, those that are carried
  /// first.
  struct ScanForm {
    std::int64_t numScanInputs;
    // For each scanned input and each scanned result.
    std::vector<std::int64_t> axes, backwards, outAxes, outBackwards;
  };

  bool isSmall(std::int64_t iterations, std::int64_t nodes) const;
  void addControlFlow(const std::string &type, const onnx::NodeProto &node,
                      Scope &scope);
  void addIf(const onnx::NodeProto &node, Scope &scope);
  void addLoop(const onnx::NodeProto &node, Scope &scope);
  void addUnrolledLoop(const onnx::NodeProto &node, Scope &scope);
  void addSelectedIf(const onnx::NodeProto &node, Value &condition,
                     Scope &scope);
  void addScan(const onnx::NodeProto &node, Scope &scope);
  void addBatchedScan(const onnx::NodeProto &node, std::vector<Value *> inputs,
                      Scope &scope);
  void addCall(const onnx::NodeProto &node, Scope &scope);

  // Control flow that stays (ControlFlowGraphs.cpp).
  struct BodyGraph;
  BodyGraph
  importBody(const onnx::GraphProto &body, const Scope &scope,
             const std::string &name,
             const std::function<std::vector<Value *>(Graph &)> &arguments);
  void addLoopOp(const onnx::NodeProto &node, Scope &scope);
  void addIfOp(const onnx::NodeProto &node, Value &condition, Scope &scope);
  std::vector<Value *> scanOp(const onnx::NodeProto &node,
                              const std::vector<Value *> &inputs,
                              const ScanForm &form, std::int64_t length,
                              Scope &scope, const std::string &name);
  Value &withFirstAxisAt(Value &tensor, std::int64_t axis,
                         const std::string &stem);
  std::vector<Value *> addCallingOp(std::unique_ptr<Op> op,
                                    std::vector<Value *> inputs);
  /// Runs `first`; where it fails, what it added goes, and `second` runs. Where
  /// both fail, an input that the first one has to know is the better advice.
  void tryInTurn(const std::function<void()> &first,
                 const std::function<void()> &second);

  // Sequences (Sequences.cpp).
  static bool readsSequence(const onnx::NodeProto &node, const Scope &scope);
  void addSequenceOp(const std::string &type, const onnx::NodeProto &node,
                     Scope &scope);
  void addSplit(const onnx::NodeProto &node, Scope &scope);
  void addSequenceMap(const onnx::NodeProto &node, Scope &scope);
  std::int64_t placeOf(const onnx::NodeProto &node, int index,
                       std::int64_t size, std::int64_t fallback,
                       const Scope &scope) const;
  const HostTensor &knownInput(const onnx::NodeProto &node, int index,
                               const char *role, const Scope &scope) const;

  /// Names the results of a node; those that it does not have are unknown.
  static void bindOutputs(const onnx::NodeProto &node,
                          const std::vector<Value *> &results, Scope &scope);
  static void bindOutputs(const onnx::NodeProto &node,
                          const std::vector<Named> &results, Scope &scope);
  /// A body between tensors.
  std::vector<Value *> addBody(const onnx::GraphProto &body,
                               const std::vector<Value *> &inputs, Scope &scope,
                               const std::string &name);
  /// One that may take and return sequences, too.
  std::vector<Named> addNamedBody(const onnx::GraphProto &body,
                                  const std::vector<Named> &inputs,
                                  Scope &scope, const std::string &name);
  static ScanForm scanForm(const onnx::NodeProto &node, std::size_t numInputs);
  std::vector<Value *> scanned(const onnx::NodeProto &node,
                               const std::vector<Value *> &inputs,
                               ScanForm form, Scope &scope,
                               const std::string &name);
  std::vector<Value *> unrolledScan(const onnx::NodeProto &node,
                                    const std::vector<Value *> &inputs,
                                    const ScanForm &form, std::int64_t length,
                                    Scope &scope, const std::string &name);
  Value &elementOf(Value &tensor, std::int64_t axis, std::int64_t place,
                   const std::string &stem);
  Value &stacked(const std::vector<Value *> &parts, std::int64_t axis,
                 const std::string &stem);

  /// The name in the IR. In the model's own scope names have to be new.
  std::string newName(const Scope &scope, const std::string &name) const;

  /// Adds the operator, works out its results, and folds constants.
  void finish(std::unique_ptr<Op> op, std::vector<Value *> inputs,
              std::vector<Value *> outputs);
  void inferOutputs(Op &op);

  /// The inputs of a node; those left out are null.
  std::vector<Value *> inputsOf(const onnx::NodeProto &node,
                                const Scope &scope) const;
  /// With those that are sequences.
  std::vector<Named> namedInputsOf(const onnx::NodeProto &node,
                                   const Scope &scope) const;
  Value *required(const std::vector<Value *> &inputs, std::size_t index,
                  const onnx::NodeProto &node) const;

  const onnx::ModelProto &model;
  Graph &graph;
  const FoldingBudget folding;
  ConstantFolder folder;
  unsigned depth = 0;
  /// Nodes of functions and bodies so far, those of inner importers and what
  /// was undone again included: each of them took time.
  std::shared_ptr<std::uint64_t> expandedNodes =
      std::make_shared<std::uint64_t>(0);
  /// Copies of the current body that unrolling of the loops around it makes.
  std::int64_t copies = 1;
};

// What the files of control flow share.

/// The graph that an attribute of a node is.
const onnx::GraphProto &bodyOf(const onnx::NodeProto &node,
                               const std::string &name);
/// The value of one element, where it is known.
std::optional<std::int64_t> constantScalar(Value *tensor);
/// An Error unless the branches of an If, whose condition is computed when the
/// model runs, return the same.
void checkBranches(const onnx::NodeProto &node, const Value &condition,
                   const TensorInfo &yes, const TensorInfo &no);

} // namespace populus::popir

#endif
