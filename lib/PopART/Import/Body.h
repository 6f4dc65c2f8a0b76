// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports nodes: of the model, of control flow bodies, and of functions. They
// are inlined into one flat graph, except for bodies that remain graphs, each
// with an importer of its own (ControlFlowGraphs.cpp). A scope maps names of
// the model to values.
//
// A node that cannot be imported is recorded as a problem, and nodes that
// depend on it are skipped, so that one run reports all problems.

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
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace populus::popir {

struct Decomposition;
class OpBuilder;

/// A sequence of tensors, or an absent optional value.
struct Sequence {
  std::vector<Value *> elements;
  bool isNothing = false;
};

/// The binding of a name of the model: a tensor, null, or a sequence.
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
  /// Maps a tensor of the outer graph to its counterpart in an inner graph.
  using Capture = std::function<Value *(Value &)>;

  /// The scope of the model.
  explicit Scope(Opsets opsets) : opsetMap(std::move(opsets)) {}
  /// The scope of an inlined body, which sees the names of `parent`.
  Scope(const Scope &parent, const std::string &name)
      : parent(&parent), opsetMap(parent.opsetMap),
        namePrefix(parent.namePrefix + name + "/") {}
  /// The scope of a body that remains a graph.
  Scope(const Scope &parent, const std::string &name, Capture capture)
      : parent(&parent), opsetMap(parent.opsetMap),
        namePrefix(parent.namePrefix + name + "/"),
        capture(std::move(capture)) {}
  /// The scope of a function, which sees no names of its caller.
  Scope(const Scope &caller, const std::string &name, Opsets opsets)
      : opsetMap(std::move(opsets)),
        namePrefix(caller.namePrefix + name + "/") {}

  /// Null for a tensor whose producer could not be imported; nothing for an
  /// unknown name.
  std::optional<Value *> find(const std::string &name) const;
  void bind(const std::string &name, Value *tensor) { names[name] = tensor; }

  /// Null if the name is not bound to a sequence.
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

/// Collects import problems, and their most severe kind.
class Problems {
public:
  void add(const Error &error);
  /// Throws one Error with all problems, if there are any; an UnknownValue if
  /// inputs of the model have to be known.
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

  /// Imports initializers and nodes, skipping the given numbers of them.
  void addGraph(const onnx::GraphProto &body, Scope &scope,
                int knownInitializers = 0, int knownNodes = 0);
  void addNode(const onnx::NodeProto &node, Scope &scope);

  /// Adds an operator that is not in the model, of the newest registered
  /// version; returns its output.
  Value &makeOp(const std::string &type, std::vector<Value *> inputs,
                Attributes attributes, const std::string &stem);
  /// Adds an operator of any domain with several results. The version of `id`
  /// is ignored.
  std::vector<Value *> makeOps(OperatorId id, std::vector<Value *> inputs,
                               Attributes attributes, const std::string &stem,
                               std::size_t count);
  Value &makeConstant(HostTensor value, const std::string &stem);
  /// Adds a loop that is not in the model (Expansion::loop).
  std::vector<Value *>
  makeLoop(std::int64_t most, const std::vector<Value *> &carried,
           const std::vector<Value *> &fixed,
           const std::function<std::vector<Value *>(
               OpBuilder &, const std::vector<Value *> &carried,
               const std::vector<Value *> &fixed)> &round,
           const std::string &stem);

  /// Problems of all nodes that were added.
  Problems problems;
  /// Skipped nodes that read padding, and nodes that depend on them. They are
  /// problems only if their results are needed.
  Problems readers;

  /// True for initializers that become variables; others become constants.
  std::function<bool(const onnx::TensorProto &)> isVariable;

  /// Makes inputs and variables of the model constants, because a node has to
  /// know them, and returns those that it could. Empty: nothing becomes known.
  std::function<std::vector<Value *>(const std::set<std::string> &names)>
      makeKnown;

  /// The operators with a bound; null in control flow graphs, which have none.
  Bounds *bounds = nullptr;

  /// The first double that is computed on the device, or null.
  const Value *firstDouble = nullptr;

private:
  /// The state before a part of the import that may have to be undone.
  struct Checkpoint {
    const Op *lastOp;
    Problems problems, readers;
    const Value *firstDouble;
    std::optional<Bounds> bounds;
  };
  Checkpoint checkpoint() const;
  /// Removes the operators and problems that were added since.
  void undo(const Checkpoint &before);

  Value &addInitializer(const onnx::TensorProto &tensor, const Scope &scope);
  void importNode(const onnx::NodeProto &node, Scope &scope);
  void importKnowing(const onnx::NodeProto &node, Scope &scope);
  void addOperator(const onnx::NodeProto &node, Scope &scope);
  bool addBounded(const onnx::NodeProto &node, Scope &scope);
  void refusePadded(const onnx::NodeProto &node, const Scope &scope) const;
  void addFunction(const onnx::NodeProto &node,
                   const onnx::FunctionProto &function, Scope &scope);
  bool addSchemaFunction(const onnx::NodeProto &node, Scope &scope);
  bool addDecomposition(const onnx::NodeProto &node,
                        const Decomposition &decomposition, Scope &scope);

  // Control flow (ControlFlow.cpp).

  /// The form of a Scan. Carried inputs and results come first.
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
  /// Runs `first`; if it fails, undoes it and runs `second`. If both fail and
  /// `first` needed to know an input, its error is the better advice.
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

  /// Binds the result names of a node; missing results are unknown.
  static void bindOutputs(const onnx::NodeProto &node,
                          const std::vector<Value *> &results, Scope &scope);
  static void bindOutputs(const onnx::NodeProto &node,
                          const std::vector<Named> &results, Scope &scope);
  /// Inlines a body that takes and returns tensors.
  std::vector<Value *> addBody(const onnx::GraphProto &body,
                               const std::vector<Value *> &inputs, Scope &scope,
                               const std::string &name);
  /// Inlines a body that may also take and return sequences.
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

  /// The unique name in the IR. In the model's own scope, a duplicate is an
  /// error.
  std::string newName(const Scope &scope, const std::string &name) const;

  /// Adds the operator, infers its results, and folds constants.
  void finish(std::unique_ptr<Op> op, std::vector<Value *> inputs,
              std::vector<Value *> outputs);
  void inferOutputs(Op &op);

  /// The inputs of a node; omitted ones are null.
  std::vector<Value *> inputsOf(const onnx::NodeProto &node,
                                const Scope &scope) const;
  /// The inputs of a node, including sequences.
  std::vector<Named> namedInputsOf(const onnx::NodeProto &node,
                                   const Scope &scope) const;
  Value *required(const std::vector<Value *> &inputs, std::size_t index,
                  const onnx::NodeProto &node) const;

  const onnx::ModelProto &model;
  Graph &graph;
  const FoldingBudget folding;
  ConstantFolder folder;
  unsigned depth = 0;
  /// The number of nodes expanded so far, including inner importers and undone
  /// work: a measure of time.
  std::shared_ptr<std::uint64_t> expandedNodes =
      std::make_shared<std::uint64_t>(0);
  /// Copies of the current body that unrolling of the loops around it makes.
  std::int64_t copies = 1;
};

// Shared by the files on control flow.

/// The graph attribute of a node.
const onnx::GraphProto &bodyOf(const onnx::NodeProto &node,
                               const std::string &name);
/// The value of a scalar constant.
std::optional<std::int64_t> constantScalar(Value *tensor);
/// Throws an Error unless the branches of an If with a run-time condition
/// return the same types and shapes.
void checkBranches(const onnx::NodeProto &node, const Value &condition,
                   const TensorInfo &yes, const TensorInfo &no);

} // namespace populus::popir

#endif
