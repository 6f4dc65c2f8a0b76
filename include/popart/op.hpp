// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of operators that programs define. An operator declares its
// results (setup) and, for training, the operators that compute its gradients
// (getGradOps); a popx::Opx lowers it. Each has one counterpart in the compiler
// (docs/custom-operators.md).

#ifndef POPULUS_INCLUDE_POPART_OP_HPP
#define POPULUS_INCLUDE_POPART_OP_HPP

#include <popart/alias/aliasmodel.hpp>
#include <popart/attributes.hpp>
#include <popart/basicoptionals.hpp>
#include <popart/debugcontext.hpp>
#include <popart/error.hpp>
#include <popart/graph.hpp>
#include <popart/logging.hpp>
#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/opserialiser.hpp>
#include <popart/recomputetype.hpp>
#include <popart/region.hpp>
#include <popart/scope.hpp>
#include <popart/tensor.hpp>
#include <popart/tensorindex.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/tileset.hpp>
#include <popart/vendored/optional.hpp>

#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace popart {

enum class GradOpInType { In = 0, Out, GradOut };

/// Maps an operand of a gradient operator to its source: operand or result
/// `iNonGrad` of the forward operator, or the gradient of that result.
class GradInOutMapper {
public:
  GradInOutMapper(InIndex gradIn, int nonGrad, GradOpInType type)
      : iGrad(gradIn), iNonGrad(nonGrad), type(type) {}
  bool operator==(const GradInOutMapper &other) const {
    return iGrad == other.iGrad && iNonGrad == other.iNonGrad &&
           type == other.type;
  }

  InIndex iGrad;
  int iNonGrad;
  GradOpInType type;
};

enum class ExecutionContext {
  Normal = 0,
  AccumulateOuterFragment,
  WeightsFromHostFragment,
  WeightsToHostFragment,
  OptimizerFromHostFragment,
  Subgraph
};

using ReplicatedTensorShardingIndices =
    std::set<std::pair<std::set<InIndex>, std::set<OutIndex>>>;

class Op {
public:
  /// Settings that all operators have besides their own attributes.
  struct Settings {
    Settings(Graph &graph, const std::string &name)
        : graph(graph), name(name) {}
    Settings(Graph &graph, const std::string &name, const Scope &scope)
        : graph(graph), name(name), scope(scope) {}
    Settings(Graph &graph, const std::string &name, const Scope &scope,
             std::uint64_t parentId)
        : graph(graph), name(name), scope(scope), debugInfoId(parentId) {}
    virtual ~Settings() {}
    /// Returns the same settings with another name.
    Settings copy(const std::string &newName) {
      Settings result = *this;
      result.name = newName;
      return result;
    }

    std::reference_wrapper<Graph> graph;
    std::string name;
    Scope scope;
    RecomputeType recomputeType = RecomputeType::Undefined;
    /// The compiler chooses the places of activations.
    TensorLocation tensorLocation;
    nonstd::optional<VGraphId> vgraphId;
    nonstd::optional<PipelineStage> pipelineStage;
    nonstd::optional<std::int64_t> executionPhase;
    nonstd::optional<std::int64_t> batchSerializedPhase;
    std::vector<std::tuple<std::string, float>> inplacePriorityVeto;
    std::set<std::string> excludePatterns;
    TileSet tileSet = TileSet::Compute;
    ExecutionContext executionContext = ExecutionContext::Normal;
    std::map<InIndex, OutIndex> inferTensorMappingToFrom;
    double schedulePriority = 0.0;
    std::map<std::string, std::string> extraOutlineAttributes;
    std::uint64_t debugInfoId = 0;
    bool optimizerOp = false;
    bool gradientClippingOp = false;
  };

  Op(const OperatorIdentifier &opid, const Settings &settings);
  /// Copies the operator without operands and results.
  Op(const Op &other);
  Op &operator=(const Op &) = delete;
  virtual ~Op();

  // ---- What an operator defines ---------------------------------------------

  virtual std::unique_ptr<Op> clone() const = 0;
  /// Sets type and shape of every result (outInfo).
  virtual void setup();
  /// Relative amount of code that the operator becomes.
  virtual float getSubgraphValue() const = 0;

  virtual std::vector<std::unique_ptr<Op>> getGradOps();
  /// For gradient operators: the sources of the operands, and a map from each
  /// result to the forward operand whose gradient it is.
  virtual const std::vector<GradInOutMapper> &gradInputInfo() const;
  virtual const std::map<int, int> &gradOutToNonGradIn() const;
  int getNonGradInIndex(int gradOpOutIndex) const {
    return gradOutToNonGradIn().at(gradOpOutIndex);
  }

  virtual void appendAttributes(OpSerialiserBase &) const;
  virtual void appendOutlineAttributes(OpSerialiserBase &) const;
  void appendMore(OpSerialiserBase &) const {}

  virtual bool canBeReplacedByIdentity() const { return false; }
  virtual bool isOutlineable() const { return true; }
  virtual bool hasSideEffect() const { return false; }
  virtual bool requiresRandomSeed() const { return false; }
  virtual InIndex getSeedInIndex() const { return -1; }
  virtual bool isNorm() const { return false; }
  virtual std::set<InIndex> optionalInputs() const { return {}; }
  virtual int getInBatchAxis(InIndex) const { return 0; }
  virtual int getOutBatchAxis(OutIndex) const { return 0; }
  virtual bool canShard() const { return false; }
  virtual ReplicatedTensorShardingIndices
  getReplicatedTensorShardingIndices() const {
    return {};
  }

  // Parts of operands that results share or the operator writes.
  virtual view::Regions modifies(InIndex) const;
  virtual view::Regions aliases(InIndex, OutIndex) const;
  virtual view::Regions uses(InIndex) const;
  virtual view::RegMap fwdRegMap(InIndex, OutIndex) const;
  virtual view::RegMap bwdRegMap(InIndex, OutIndex) const;
  virtual void growAliasModel(AliasModel &) const {}
  /// Ignored: the compiler decides what is computed in place.
  virtual std::vector<std::tuple<OperatorIdentifier, float>>
  inplacePriorityDefault() const {
    return {};
  }
  virtual std::unique_ptr<Op>
  getInplaceVariant(const OperatorIdentifier &id) const;
  /// Never called: the compiler decides.
  virtual poprithms::memory::inplace::Proposal
  mapInplaceProposal(const AliasModel &model,
                     OperatorIdentifier identifier) const;
  /// The proposal of an operator with one gate, whose first operand's memory
  /// the result takes.
  poprithms::memory::inplace::Proposal
  mapInplaceProposalGate0(const AliasModel &model, OperatorIdentifier) const {
    return {model.getGate(id), 0};
  }
  bool modifiesIndex(InIndex index) const;

  /// Never called: the compiler shards variables, and gathers the whole tensor
  /// for operators of programs.
  virtual void
  configureForReplicatedTensorSharding(ReplicatedTensorShardingIndices,
                                       CommGroup) {}

  // ---- What it is connected to ----------------------------------------------

  Tensor *inTensor(InIndex index);
  const Tensor *inTensor(InIndex index) const;
  Tensor *outTensor(OutIndex index);
  const Tensor *outTensor(OutIndex index) const;
  const TensorId &inId(InIndex index) const { return inTensor(index)->id; }
  const TensorId &outId(OutIndex index) const { return outTensor(index)->id; }
  TensorInfo &inInfo(InIndex index) { return inTensor(index)->info; }
  const TensorInfo &inInfo(InIndex index) const {
    return inTensor(index)->info;
  }
  TensorInfo &outInfo(OutIndex index) { return outTensor(index)->info; }
  const TensorInfo &outInfo(OutIndex index) const {
    return outTensor(index)->info;
  }
  const Shape &inShape(InIndex index) const { return inInfo(index).shape(); }
  const Shape &outShape(OutIndex index) const { return outInfo(index).shape(); }
  Rank inRank(InIndex index) const { return inInfo(index).rank(); }
  Rank outRank(OutIndex index) const { return outInfo(index).rank(); }
  bool hasInput(InIndex index) const { return input->hasIndex(index); }
  bool hasOutput(OutIndex index) const { return output->hasIndex(index); }

  void connectInTensor(InIndex index, const TensorId &id);
  void connectOutTensor(OutIndex index, const TensorId &id);
  void createAndConnectOutTensor(OutIndex index, const TensorId &id);
  void disconnectInTensor(InIndex index) { input->erase(index); }
  void disconnectInTensor(InIndex index, Tensor *) { input->erase(index); }
  void disconnectAllInputs() { input->clear(); }
  void disconnectAllOutputs();
  void disconnectOutTensor(Tensor *tensor);
  int inTensorCount() const { return input->n(); }
  int outTensorCount() const { return output->n(); }

  // ---- What it is -----------------------------------------------------------

  Graph &getGraph() { return settings.graph; }
  const Graph &getGraph() const { return settings.graph; }
  Ir &getIr() { return getGraph().getIr(); }
  const Ir &getIr() const { return getGraph().getIr(); }
  Settings &getSettings() { return settings; }
  const Settings &getSettings() const { return settings; }
  void setScope(const Scope &scope) { settings.scope = scope; }
  Settings getInSettings(InIndex) const { return settings; }
  Settings getOutSettings(OutIndex) const { return settings; }

  const std::string &name() const { return settings.name; }
  const std::string &getName() const { return settings.name; }
  void setName(const std::string &name) { settings.name = name; }
  const Scope &getScope() const { return settings.scope; }
  /// The identifier and the name.
  std::string str() const;
  std::string debugName() const;

  bool hasVirtualGraphId() const { return bool(settings.vgraphId); }
  VGraphId getVirtualGraphId() const { return settings.vgraphId.value(); }
  const nonstd::optional<VGraphId> getOptionalVGraphId() const {
    return settings.vgraphId;
  }
  void setVirtualGraphId(const nonstd::optional<VGraphId> id) {
    settings.vgraphId = id;
  }
  bool hasPipelineStage() const { return bool(settings.pipelineStage); }
  PipelineStage getPipelineStage() const {
    return settings.pipelineStage.value();
  }
  void setPipelineStage(const nonstd::optional<PipelineStage> stage) {
    settings.pipelineStage = stage;
  }
  bool hasExecutionPhase() const { return bool(settings.executionPhase); }
  std::int64_t getExecutionPhase() const {
    return settings.executionPhase.value();
  }
  void setExecutionPhase(const nonstd::optional<std::int64_t> phase) {
    settings.executionPhase = phase;
  }
  const nonstd::optional<PipelineStage> getOptionalPipelineStage() const {
    return settings.pipelineStage;
  }
  DebugContext getDebugInfo() const { return DebugContext(name()); }
  void transferBaseProperties(Op *to) const {
    to->settings.vgraphId = settings.vgraphId;
    to->settings.pipelineStage = settings.pipelineStage;
    to->settings.scope = settings.scope;
  }

  template <class... Ts> bool isConvertibleToAny() const {
    const bool found[] = {dynamic_cast<const Ts *>(this) != nullptr...};
    for (const bool is : found)
      if (is)
        return true;
    return false;
  }
  template <class T> bool isConvertibleTo() const {
    return dynamic_cast<const T *>(this) != nullptr;
  }

  /// Returns the shape after NumPy broadcasting.
  static Shape prettyNpOut(const Shape &a, const Shape &b);
  static TensorInfo prettyNpOut(const TensorInfo &a, const TensorInfo &b);

  static float getHighSubgraphValue() { return 1000.0F; }
  static float getLowSubgraphValue() { return 0.1F; }

  OpId id = 0;
  OperatorIdentifier opid;
  bool pruneable = true;
  Settings settings;
  std::unique_ptr<TensorIndexMap> input, output;
};

std::ostream &operator<<(std::ostream &out, const GradOpInType &type);

} // namespace popart

#endif
