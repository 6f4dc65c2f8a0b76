// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Builder makes an ONNX model, node by node.

#ifndef POPULUS_INCLUDE_POPART_BUILDER_HPP
#define POPULUS_INCLUDE_POPART_BUILDER_HPP

#include <popart/any.hpp>
#include <popart/error.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/opsets.hpp>
#include <popart/recomputetype.hpp>
#include <popart/tensorinfo.hpp>
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
  /// Goes on with a model: the path of an ONNX file, or the bytes of one.
  static std::unique_ptr<Builder>
  createFromOnnxModel(const std::string &modelProtoOrFilename);
  ~Builder();

  /// A Builder for a graph inside this one, such as the body of a loop: its
  /// nodes may read what this one has by then, and its outputs are what the
  /// body returns. It lives as long as this one.
  Builder &createSubgraphBuilder();

  /// An input that the host gives for every batch. The name is that of `debug`,
  /// or "input"; one that is taken gets "/1", "/2", … at the end.
  TensorId addInputTensor(const TensorInfo &info,
                          const DebugContext &debug = {});
  TensorId addInputTensor(const std::string &type, const Shape &shape,
                          const DebugContext &debug = {});
  /// An input of a subgraph whose type follows from what it is called with.
  TensorId addUntypedInputTensor(const DebugContext &debug = {});
  /// Says that a subgraph reads a tensor of a graph around it, which it may do
  /// anyway.
  void addInputTensorFromParentGraph(const TensorId &id);
  /// A weight; its elements are copied.
  TensorId addInitializedInputTensor(const ConstVoidData &value,
                                     const DebugContext &debug = {});
  void addOutputTensor(const TensorId &id);

  /// The operators of an opset. All of a model have to be of one.
  AiOnnxOpset6 aiOnnxOpset6();
  AiOnnxOpset7 aiOnnxOpset7();
  AiOnnxOpset8 aiOnnxOpset8();
  AiOnnxOpset9 aiOnnxOpset9();
  AiOnnxOpset10 aiOnnxOpset10();
  AiOnnxOpset11 aiOnnxOpset11();
  AiGraphcoreOpset1 aiGraphcoreOpset1();

  /// Any operator. Attributes are std::int64_t, int, float, std::string,
  /// vectors of these, and ConstVoidData for tensors. Results are named after
  /// the operator: "Add:0".
  TensorIds customOp(const OperatorIdentifier &id, int opsetVersion,
                     const TensorIds &inputs, unsigned numOutputs,
                     const std::map<std::string, any> &attributes,
                     const DebugContext &debug = {});
  /// The tensor in another shape, which is a constant of the model.
  template <class Opset>
  TensorId reshape_const(Opset &&opset, const TensorIds &args,
                         const Shape &shape, const DebugContext &debug = {}) {
    const Shape extents = {static_cast<std::int64_t>(shape.size())};
    TensorId constant = opset.constant(
        ConstVoidData(shape.data(), TensorInfo(DataType::INT64, extents)));
    return opset.reshape({args.at(0), constant}, debug);
  }

  // Attributes of the nodes that make these tensors. Reading one that a node
  // does not have, or has of another type, is an error.
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

  // Attributes that all nodes get which are made from now on.
  void setAttribute(const std::string &name, const any &value);
  bool hasAttribute(const std::string &name) const;
  /// The value; one that is not set is an error.
  const any &getAttribute(const std::string &name) const;
  void clearAttribute(const std::string &name);

  /// On which IPU of a device with several the node is.
  void virtualGraph(const TensorId &id, std::int64_t value = 0);
  void virtualGraph(const std::set<TensorId> &ids, std::int64_t value = 0);
  void pipelineStage(const TensorId &id, std::int64_t value);
  void pipelineStage(const std::set<TensorId> &ids, std::int64_t value);
  void executionPhase(const std::set<TensorId> &ids, std::int64_t value);
  /// "HALF" or "FLOAT": the type in which a product adds up.
  void setPartialsType(const TensorId &id, const std::string &partialsType);
  /// FLOAT where it has not been set.
  std::string getPartialsType(const TensorId &id) const;
  void setAvailableMemoryProportion(const TensorId &id, float proportion);
  void setAvailableMemoryProportion(const std::set<TensorId> &ids,
                                    float proportion);

  /// Sets whether the gradients recompute these results.
  void
  recomputeOutputInBackwardPass(const std::set<TensorId> &ids,
                                RecomputeType value = RecomputeType::Recompute);
  bool getRecomputeOutputInBackwardPass(const std::set<TensorId> &ids) const;
  /// The tensors again, of nodes that are not recomputed.
  TensorIds checkpointOutput(const TensorIds &ids);

  // Hints that do not change results, and that are without effect.
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
  /// Keeps the elements of these initializers in a file, which is written now,
  /// and which the model then names. Weights of a large model do not fit into
  /// its bytes.
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
  /// Sets the replication factor of the model. Only 1 is supported.
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
