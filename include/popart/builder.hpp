// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Builder makes an ONNX model, node by node.

#ifndef POPULUS_INCLUDE_POPART_BUILDER_HPP
#define POPULUS_INCLUDE_POPART_BUILDER_HPP

#include <popart/any.hpp>
#include <popart/dataflow.hpp>
#include <popart/error.hpp>
#include <popart/logging.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/opsets.hpp>
#include <popart/recomputetype.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/variablesettings.hpp>
#include <popart/voiddata.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace popart {

namespace popart_detail {
class BuilderState;
}

class Builder {
public:
  static std::unique_ptr<Builder> create();
  /// Extends a model, given as the path of an ONNX file or as its bytes.
  static std::unique_ptr<Builder>
  createFromOnnxModel(const std::string &modelProtoOrFilename);
  ~Builder();

  /// Creates a Builder for a subgraph, such as the body of a loop. Its nodes
  /// may read the tensors that this Builder has by then, and its outputs are
  /// the results of the body. It lives as long as this Builder.
  Builder &createSubgraphBuilder();

  /// Adds an input that the host provides for every batch. Its name is that of
  /// `debug`, or "input"; a name in use gets the suffix "/1", "/2", …
  TensorId addInputTensor(const TensorInfo &info,
                          const DebugContext &debug = {});
  TensorId addInputTensor(const std::string &type, const Shape &shape,
                          const DebugContext &debug = {});
  /// Adds an input of a subgraph. Its type follows from the call.
  TensorId addUntypedInputTensor(const DebugContext &debug = {});
  /// Declares that a subgraph reads a tensor of an enclosing graph. The
  /// declaration is optional.
  void addInputTensorFromParentGraph(const TensorId &id);
  /// A weight; its elements are copied.
  TensorId addInitializedInputTensor(const ConstVoidData &value,
                                     const DebugContext &debug = {});
  /// A weight that groups of replicas share.
  TensorId addInitializedInputTensor(const ConstVoidData &value,
                                     const VariableSettings &settings,
                                     const DebugContext &debug = {});
  /// Says how replicas get an input: by default each its own data.
  void setReplicatedStreamMode(const TensorId &input,
                               ReplicatedStreamMode mode);
  /// Says which tiles load an input, and what its transfer overlaps with.
  void setExchange(const TensorId &input, TileSet tiles,
                   ExchangeStrategy strategy);
  void addOutputTensor(const TensorId &id);

  /// Operators of an opset. A model must use a single one.
  AiOnnxOpset6 aiOnnxOpset6();
  AiOnnxOpset7 aiOnnxOpset7();
  AiOnnxOpset8 aiOnnxOpset8();
  AiOnnxOpset9 aiOnnxOpset9();
  AiOnnxOpset10 aiOnnxOpset10();
  AiOnnxOpset11 aiOnnxOpset11();
  AiGraphcoreOpset1 aiGraphcoreOpset1();

  /// Adds any operator. Attributes are std::int64_t, int, float, std::string,
  /// vectors of these, and ConstVoidData for tensors. Results are named after
  /// the operator: "Add:0".
  TensorIds customOp(const OperatorIdentifier &id, int opsetVersion,
                     const TensorIds &inputs, unsigned numOutputs,
                     const std::map<std::string, any> &attributes,
                     const DebugContext &debug = {});
  /// Reshapes a tensor. The shape becomes a constant of the model.
  template <class Opset>
  TensorId reshape_const(Opset &&opset, const TensorIds &args,
                         const Shape &shape, const DebugContext &debug = {}) {
    const Shape extents = {static_cast<std::int64_t>(shape.size())};
    TensorId constant = opset.constant(
        ConstVoidData(shape.data(), TensorInfo(DataType::INT64, extents)));
    return opset.reshape({args.at(0), constant}, debug);
  }

  // Attributes of the nodes that make these tensors. Reading an attribute that
  // is absent or has another type is an error.
  void addNodeAttribute(const std::string &name, const any &value,
                        const std::set<TensorId> &outputs);
  bool nodeHasAttribute(const std::string &name,
                        const std::set<TensorId> &outputs) const;
  std::int64_t getInt64NodeAttribute(const std::string &name,
                                     const std::set<TensorId> &outputs) const;
  std::vector<std::int64_t>
  getInt64VectorNodeAttribute(const std::string &name,
                              const std::set<TensorId> &outputs) const;
  float getFloatNodeAttribute(const std::string &name,
                              const std::set<TensorId> &outputs) const;
  std::vector<float>
  getFloatVectorNodeAttribute(const std::string &name,
                              const std::set<TensorId> &outputs) const;
  std::string getStringNodeAttribute(const std::string &name,
                                     const std::set<TensorId> &outputs) const;
  std::vector<std::string>
  getStringVectorNodeAttribute(const std::string &name,
                               const std::set<TensorId> &outputs) const;
  std::vector<std::string>
  getAllNodeAttributeNames(const std::set<TensorId> &outputs) const;
  void removeNodeAttribute(const std::string &name,
                           const std::set<TensorId> &outputs);

  // Attributes of all nodes that are added from now on.
  void setAttribute(const std::string &name, const any &value);
  bool hasAttribute(const std::string &name) const;
  /// Returns the value. An attribute that is not set is an error.
  const any &getAttribute(const std::string &name) const;
  void clearAttribute(const std::string &name);

  /// Places the node on an IPU of a device with several.
  void virtualGraph(const TensorId &id, std::int64_t value = 0);
  void virtualGraph(const std::set<TensorId> &ids, std::int64_t value = 0);
  void pipelineStage(const TensorId &id, std::int64_t value);
  void pipelineStage(const std::set<TensorId> &ids, std::int64_t value);
  void executionPhase(const std::set<TensorId> &ids, std::int64_t value);
  /// Accumulation type of a matrix product: "HALF" or "FLOAT".
  void setPartialsType(const TensorId &id, const std::string &partialsType);
  /// FLOAT unless it has been set.
  std::string getPartialsType(const TensorId &id) const;
  void setAvailableMemoryProportion(const TensorId &id, float proportion);
  void setAvailableMemoryProportion(const std::set<TensorId> &ids,
                                    float proportion);

  /// Sets whether the gradients recompute these results.
  void
  recomputeOutputInBackwardPass(const std::set<TensorId> &ids,
                                RecomputeType value = RecomputeType::Recompute);
  bool getRecomputeOutputInBackwardPass(const std::set<TensorId> &ids) const;
  /// Returns copies of the tensors whose nodes are not recomputed.
  TensorIds checkpointOutput(const TensorIds &ids);

  // Hints without effect.
  void setInplacePreferences(const TensorId &id,
                             const std::map<std::string, float> &priorities);
  void excludePatterns(const std::set<TensorId> &ids,
                       const std::vector<std::string> &patternNames);
  void setSerializeMatMul(const std::set<TensorId> &ids,
                          const std::string &mode, std::int64_t factor,
                          bool keepPrecision = false);
  void setEnableConvDithering(const TensorId &id, std::int64_t value);

  // Names of nodes and tensors begin with all open scopes.
  void pushNameScope(const std::string &name);
  void popNameScope();
  std::string getNameScope(const std::string &name = "") const;

  void setGraphName(const std::string &name);
  /// The bytes of the model.
  std::string getModelProto() const;
  void saveModelProto(const std::string &path) const;
  /// Writes the elements of these initializers to a file, to which the model
  /// then refers. The weights of a large model do not fit into the model's
  /// bytes.
  void saveInitializersExternally(const std::vector<TensorId> &ids,
                                  const std::string &path);

  TensorIds getInputTensorIds() const;
  TensorIds getOutputTensorIds() const;
  /// Tensors that nodes of the graph produce.
  TensorIds getValueTensorIds() const;
  /// The weights.
  TensorIds getTrainableTensorIds() const;
  bool isInitializer(const TensorId &id) const;
  /// Returns true if this Builder builds a subgraph.
  bool hasParent() const;
  /// Sets the replication factor that sessions of the model have to have.
  void embedReplicationFactor(int factor);
  Shape getTensorShape(const TensorId &id) const;
  /// "float32".
  std::string getTensorDtypeString(const TensorId &id) const;

private:
  Builder();
  friend class popart_detail::BuilderState;
  std::unique_ptr<popart_detail::BuilderState> state;
};

} // namespace popart

#endif
