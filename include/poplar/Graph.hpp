// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph: variables and constants, the tiles of their elements, and the
// vertices that operate on them. Programs order the vertices (Program.hpp); an
// Engine compiles and runs both (Engine.hpp).

#ifndef POPULUS_INCLUDE_POPLAR_GRAPH_HPP
#define POPULUS_INCLUDE_POPLAR_GRAPH_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/CodeletFileType.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/Interval.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/replication_factor.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {

namespace core {
class GraphImpl;
} // namespace core

/// Version of libpoplar, and hash of this build.
StringRef versionString();
StringRef packageHash();

using HostFunctionArgument = std::tuple<Type, std::size_t>;

class Graph {
  // A number that may initialise elements and fields.
  template <typename T>
  using EnableIfNumber =
      typename std::enable_if<TypeTraits::isSimpleType<T>()>::type;
  // Excludes lists in braces from overload resolution.
  template <typename T>
  using EnableIfTensor =
      typename std::enable_if<std::is_same<T, Tensor>::value>::type;

public:
  /// For each tile the intervals of the flattened tensor that it holds.
  using TileToTensorMapping = std::vector<std::vector<Interval>>;

  /// Type and number of elements of an argument of a host function.
  using HostFunctionArgument = poplar::HostFunctionArgument;

  /// A connection or initial value given to addVertex.
  class ConnectionDesc {
  public:
    ConnectionDesc(StringRef field, const Tensor &tensor)
        : field(field), tensors(1, tensor), kind(OneTensor) {}
    ConnectionDesc(StringRef field, ArrayRef<Tensor> tensors)
        : field(field), tensors(tensors.begin(), tensors.end()),
          kind(ManyTensors) {}
    ConnectionDesc(StringRef field, std::size_t index, const Tensor &tensor)
        : field(field), tensors(1, tensor), index(index), kind(Indexed) {}
    template <typename T, typename = EnableIfNumber<T>>
    ConnectionDesc(StringRef field, T value)
        : field(field), traits(TypeTraits::make<T>()), kind(Value) {
      static_assert(sizeof(T) <= sizeof(bytes), "too large for a field");
      std::memcpy(bytes, &value, sizeof(T));
    }

  private:
    friend class Graph;
    enum Kind { OneTensor, ManyTensors, Indexed, Value };
    std::string field;
    std::vector<Tensor> tensors;
    std::size_t index = 0;
    TypeTraits traits = TypeTraits();
    alignas(8) unsigned char bytes[16] = {};
    Kind kind;
  };

  /// A graph for the CPU target.
  Graph();
  /// Makes a graph with `replication` replicas, each on an equal part of the
  /// target's IPUs. getTarget() describes one part. Throws
  /// graph_replication_error if the IPUs cannot be divided.
  Graph(const Target &target,
        replication_factor replication = replication_factor(1));
  Graph(const Device &device,
        replication_factor replication = replication_factor(1));
  Graph(Graph &&other) noexcept;
  Graph &operator=(Graph &&other) noexcept;
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
  ~Graph();

  const Target &getTarget() const;
  unsigned getReplicationFactor() const { return replicas; }

  // Codelets.

  /// Adds the vertex types of a .gp file, or of a source file, which is
  /// compiled first. Throws file_load_error or graph_program_compilation_error.
  bool addCodelets(StringRef path, CodeletFileType type = CodeletFileType::Auto,
                   StringRef compileFlags = "", StringRef targetName = "");
  bool addCodelets(const char *path,
                   CodeletFileType type = CodeletFileType::Auto,
                   StringRef compileFlags = "", StringRef targetName = "") {
    return addCodelets(StringRef(path), type, compileFlags, targetName);
  }
  bool addCodelets(const std::string &path,
                   CodeletFileType type = CodeletFileType::Auto,
                   StringRef compileFlags = "", StringRef targetName = "") {
    return addCodelets(StringRef(path), type, compileFlags, targetName);
  }
  /// The same, but the compiler's messages go to `compileOutput` instead of
  /// stderr.
  bool addCodelets(StringRef path, CodeletFileType type, StringRef compileFlags,
                   std::ostream &compileOutput, StringRef targetName = "");
  bool addCodelets(ArrayRef<std::string> paths, StringRef compileFlags = "",
                   StringRef targetName = "");
  bool addCodelets(std::stringstream &source, StringRef compileFlags = "",
                   CodeletFileType type = CodeletFileType::CppSource,
                   StringRef targetName = "");
  bool addCodelets(std::stringstream &source, StringRef compileFlags,
                   std::ostream &compileOutput,
                   CodeletFileType type = CodeletFileType::CppSource,
                   StringRef targetName = "");
  bool hasCodelet(StringRef vertexType) const;

  // Variables and constants.

  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape,
                     VariableMappingMethod mappingMethod,
                     const DebugContext &debugContext = {});

  /// The first name of addVariable; the type has its name, such as "float".
  /// Throws poplar_error for an unknown one.
  Tensor addTensor(StringRef typeName, ArrayRef<std::size_t> shape,
                   const DebugContext &debugContext = {});

  /// The same with the metadata of 8-bit floats. Other types have no metadata:
  /// pass a default-constructed or an empty tensor.
  Tensor addVariable(const Type &type, const Tensor &metadata,
                     ArrayRef<std::size_t> shape,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, const Tensor &metadata,
                     ArrayRef<std::size_t> shape,
                     VariableMappingMethod mappingMethod,
                     const DebugContext &debugContext = {});

  /// A constant; its values are converted to `type`. One value fills the
  /// whole tensor.
  template <typename T, typename = EnableIfNumber<T>>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, T value,
                     const DebugContext &debugContext = {}) {
    return addConstant(type, shape, static_cast<const void *>(&value),
                       TypeTraits::make<T>(), true, debugContext);
  }
  template <typename T>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape,
                     ArrayRef<T> values,
                     const DebugContext &debugContext = {}) {
    checkConstantSize(shape, values.size());
    return addConstant(type, shape, static_cast<const void *>(values.data()),
                       TypeTraits::make<T>(), false, debugContext);
  }
  template <typename T>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape,
                     const std::vector<T> &values,
                     const DebugContext &debugContext = {}) {
    return addConstant(type, shape, ArrayRef<T>(values), debugContext);
  }
  template <typename T>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape,
                     std::initializer_list<T> values,
                     const DebugContext &debugContext = {}) {
    return addConstant(type, shape, ArrayRef<T>(values.begin(), values.size()),
                       debugContext);
  }
  template <typename T = void, typename U, typename = EnableIfNumber<U>>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape,
                     const U *values, const DebugContext &debugContext = {}) {
    return addConstant(type, shape, static_cast<const void *>(values),
                       TypeTraits::make<U>(), false, debugContext);
  }
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape,
                     const void *values, const TypeTraits &traits,
                     bool broadcast, const DebugContext &debugContext = {});
  /// The same with metadata; see addVariable. Values are converted with the
  /// metadata's initial value.
  template <typename M, typename T, typename = EnableIfTensor<M>,
            typename = EnableIfNumber<T>>
  Tensor addConstant(const Type &type, const M &metadata,
                     ArrayRef<std::size_t> shape, T value,
                     const DebugContext &debugContext = {}) {
    return addConstant(type, metadata, shape, static_cast<const void *>(&value),
                       TypeTraits::make<T>(), true, debugContext);
  }
  template <typename M, typename T, typename = EnableIfTensor<M>>
  Tensor addConstant(const Type &type, const M &metadata,
                     ArrayRef<std::size_t> shape, ArrayRef<T> values,
                     const DebugContext &debugContext = {}) {
    checkConstantSize(shape, values.size());
    return addConstant(type, metadata, shape,
                       static_cast<const void *>(values.data()),
                       TypeTraits::make<T>(), false, debugContext);
  }
  template <typename M, typename T, typename = EnableIfTensor<M>>
  Tensor addConstant(const Type &type, const M &metadata,
                     ArrayRef<std::size_t> shape, const std::vector<T> &values,
                     const DebugContext &debugContext = {}) {
    return addConstant(type, metadata, shape, ArrayRef<T>(values),
                       debugContext);
  }
  template <typename M, typename U, typename = EnableIfTensor<M>,
            typename = EnableIfNumber<U>>
  Tensor addConstant(const Type &type, const M &metadata,
                     ArrayRef<std::size_t> shape, const U *values,
                     const DebugContext &debugContext = {}) {
    return addConstant(type, metadata, shape, static_cast<const void *>(values),
                       TypeTraits::make<U>(), false, debugContext);
  }
  Tensor addConstant(const Type &type, const Tensor &metadata,
                     ArrayRef<std::size_t> shape, const void *values,
                     const TypeTraits &traits, bool broadcast,
                     const DebugContext &debugContext = {});
  /// Halves given as their bits.
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape,
                         std::uint16_t value,
                         const DebugContext &debugContext = {});
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape,
                         const std::uint16_t *values,
                         const DebugContext &debugContext = {});
  /// Scalar constant that holds the index of the replica.
  Tensor addReplicationIndexConstant(const DebugContext &debugContext = {});

  /// Makes a new variable with the shape, tile mapping and memory order of a
  /// tensor.
  Tensor clone(const Tensor &tensor, const DebugContext &debugContext = {},
               TensorCloneMethod method =
                   TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Type &type, const Tensor &tensor,
               const DebugContext &debugContext = {},
               TensorCloneMethod method =
                   TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

  /// The same with metadata other than that of `tensor`; see addVariable.
  Tensor clone(const Type &type, const Tensor &metadata, const Tensor &tensor,
               const DebugContext &debugContext = {},
               TensorCloneMethod method =
                   TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor &metadata, const Tensor &tensor,
               const DebugContext &debugContext = {},
               TensorCloneMethod method =
                   TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);

  /// `count` clones in one tensor, with a new outer dimension.
  Tensor cloneN(const Tensor &tensor, std::size_t count,
                const DebugContext &debugContext = {},
                TensorCloneMethod method =
                    TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(const Type &type, const Tensor &tensor, std::size_t count,
                const DebugContext &debugContext = {},
                TensorCloneMethod method =
                    TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);

  /// Sets the value that a variable or a field holds when the program is
  /// loaded. Values are converted to its type. An input is connected to a new
  /// constant on the vertex's tile.
  template <typename T, typename = EnableIfNumber<T>>
  void setInitialValue(const Tensor &tensor, T value) {
    setInitialValue(tensor, &value, 1, TypeTraits::make<T>());
  }
  template <typename T>
  void setInitialValue(const Tensor &tensor, ArrayRef<T> values) {
    setInitialValue(tensor, values.data(), values.size(),
                    TypeTraits::make<T>());
  }
  template <typename T>
  void setInitialValue(const Tensor &tensor, const std::vector<T> &values) {
    setInitialValue(tensor, ArrayRef<T>(values));
  }
  template <typename T>
  void setInitialValue(const Tensor &tensor, std::initializer_list<T> values) {
    setInitialValue(tensor, ArrayRef<T>(values.begin(), values.size()));
  }
  template <typename T, typename = EnableIfNumber<T>>
  void setInitialValue(FieldRef field, T value) {
    setFieldValue(field, &value, 1, false, TypeTraits::make<T>());
  }
  template <typename T>
  void setInitialValue(FieldRef field, ArrayRef<T> values) {
    setFieldValue(field, values.data(), values.size(), true,
                  TypeTraits::make<T>());
  }
  template <typename T>
  void setInitialValue(FieldRef field, const std::vector<T> &values) {
    setInitialValue(field, ArrayRef<T>(values));
  }
  template <typename T>
  void setInitialValue(FieldRef field, std::initializer_list<T> values) {
    setInitialValue(field, ArrayRef<T>(values.begin(), values.size()));
  }
  void setInitialValueHalf(const Tensor &tensor,
                           ArrayRef<std::uint16_t> values);
  void setInitialValueHalf(FieldRef field, std::uint16_t value);
  void setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> values);

  // Tile mapping and regions.

  void setTileMapping(const Tensor &tensor, unsigned tile);
  void setTileMapping(const Tensor &tensor, const TileToTensorMapping &mapping);
  void setTileMapping(VertexRef vertex, unsigned tile);
  /// Throws invalid_tile_mapping if elements are not mapped, unless
  /// `requireComplete` is false.
  TileToTensorMapping getTileMapping(const Tensor &tensor,
                                     bool requireComplete = true,
                                     bool allowExternal = false) const;
  TileToTensorMapping getTileMapping(const Tensor &tensor, bool *isComplete,
                                     bool allowExternal = false) const;

  /// Sorts intervals of a flattened tensor by their addresses and groups those
  /// that are adjacent in memory.
  std::vector<std::vector<Interval>>
  getSortedContiguousRegions(const Tensor &tensor, ArrayRef<Interval> intervals,
                             bool removeAliasedIntervals = false,
                             std::vector<std::size_t> *aliases = nullptr) const;
  /// Permutes one-dimensional tensors in the same way, so that they have as few
  /// contiguous regions as possible.
  void reorderToSimplify(Tensor *reference, ArrayRef<Tensor *> others,
                         bool requireSimplestOrder = true) const;
  /// Returns the tensor without its broadcast dimensions: a dimension along
  /// which elements only repeat has size 1 in the result.
  Tensor findUnbroadcastTensor(const Tensor &tensor) const;
  Tensor getVariable(VariableRef variable) const;
  bool isConstant(VariableRef variable) const;

  // Compute sets and vertices.

  ComputeSet addComputeSet(const DebugContext &debugContext = {});
  /// Its first name.
  ComputeSet createComputeSet(const DebugContext &debugContext = {}) {
    return addComputeSet(debugContext);
  }
  unsigned numComputeSets() const;
  unsigned numVertices() const;

  /// Throws unknown_vertex_type.
  VertexRef addVertex(ComputeSet computeSet, StringRef vertexType);
  VertexRef addVertex(ComputeSet computeSet, StringRef vertexType,
                      ArrayRef<ConnectionDesc> connections);
  /// Vertices that drive the external exchange themselves are not supported.
  /// Throws not_supported_error.
  VertexRef addExternalExchangeVertex(ComputeSet computeSet,
                                      StringRef vertexType,
                                      unsigned incomingDownCount,
                                      bool usesEastEdge,
                                      bool sendsXReq = false);
  /// Connects a field to a tensor. A field that is a list of vectors takes a
  /// list of tensors, one for each vector.
  void connect(FieldRef field, const Tensor &tensor);
  void connect(FieldRef field, ArrayRef<Tensor> tensors);
  /// Connects an input to a constant with that value, on the vertex's tile.
  template <typename T, typename = EnableIfNumber<T>>
  void connect(FieldRef field, T value) {
    setFieldValue(field, &value, 1, false, TypeTraits::make<T>());
  }
  template <typename T, typename = EnableIfNumber<T>>
  void connect(FieldRef field, ArrayRef<T> values) {
    setFieldValue(field, values.data(), values.size(), true,
                  TypeTraits::make<T>());
  }
  /// Sets the size of a vector of state, or of a list that is connected region
  /// by region.
  void setFieldSize(FieldRef field, std::size_t size);
  std::size_t getMaxFieldDim(StringRef vertexType, StringRef field,
                             unsigned dimIndex) const;
  double getMaxVertexFieldValue(StringRef vertexType, StringRef field) const;
  template <typename T>
  T getMaxVertexFieldValueAs(StringRef vertexType, StringRef field) const {
    const double value = getMaxVertexFieldValue(vertexType, field);
    const T most = std::numeric_limits<T>::max();
    return value < static_cast<double>(most) ? static_cast<T>(value) : most;
  }

  /// Sets the number of instructions that a vertex issues, for devices that
  /// only model cycles.
  void setPerfEstimate(const VertexRef &vertex, std::uint64_t cycles,
                       std::uint64_t flops = 0);
  void setCycleEstimate(const VertexRef &vertex, std::uint64_t cycles) {
    setPerfEstimate(vertex, cycles);
  }
  void registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator);
  void registerCycleEstimator(StringRef vertexType,
                              CycleEstimateFunc estimator);

  // Host access, streams, functions.

  void createHostWrite(StringRef handle, const Tensor &tensor,
                       bool rearrangeOnHost = false);
  void createHostRead(StringRef handle, const Tensor &tensor,
                      bool rearrangeOnHost = false);
  DataStream addHostToDeviceFIFO(
      StringRef handle, const Type &type, std::size_t numElements,
      ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE,
      const OptionFlags &options = {});
  DataStream addDeviceToHostFIFO(StringRef handle, const Type &type,
                                 std::size_t numElements,
                                 const OptionFlags &options = {});
  Function addFunction(const program::Program &program);
  /// Adds a buffer from which programs copy a function's code. All code stays
  /// on the tiles, so copies have no effect.
  FunctionBuffer addFunctionBuffer(const Function &function,
                                   FunctionBufferMappingType mappingType);
  /// Adds memory outside the IPU: `repeats` rows of `numElements` elements. The
  /// rearrangement options change neither results nor device time.
  RemoteBuffer addRemoteBuffer(StringRef handle, const Type &type,
                               std::size_t numElements, std::size_t repeats = 1,
                               bool rearrangeOnHost = false,
                               bool optimiseMemory = false);
  /// Adds a host function. Each argument has a type and a number of elements.
  HostFunction addHostFunction(StringRef handle,
                               ArrayRef<HostFunctionArgument> inputs,
                               ArrayRef<HostFunctionArgument> outputs);

  // Virtual graphs: the same graph seen through some of its tiles.

  Graph createVirtualGraph(unsigned tilesPerIPU);
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
  Graph createVirtualGraph(const std::vector<unsigned> &tiles);
  /// Returns the graph that has no parent.
  Graph getTopLevelGraph();
  unsigned convertVirtualTileToPhysicalTile(unsigned tile) const;

  // Replicated graphs: each of `replicas` equal parts of the tiles gets a copy
  // of every variable and vertex that is added.

  Graph createReplicatedGraph(unsigned replicas);
  /// Returns the tensor of all replicas, for use in the parent graph. It has an
  /// additional outermost dimension with one entry per replica.
  Tensor getNonReplicatedTensor(const Tensor &tensor) const;

  /// Writes variables with their mapping, vertices with their connections, and
  /// programs, for other tools.
  void serialize(std::ostream &out, SerializationFormat format) const {
    serialize(out, {}, format);
  }
  void
  serialize(std::ostream &out, ArrayRef<program::Program> programs = {},
            SerializationFormat format = SerializationFormat::Binary) const;
  /// Writes tensors and the variables that they view, without tile mapping or
  /// contents, or reads them and makes new variables. Throws parse_error if the
  /// input is invalid.
  void serializeTensors(
      std::ostream &out, ArrayRef<Tensor> tensors,
      SerializationFormat format = SerializationFormat::Binary) const;
  std::vector<Tensor>
  deserializeTensors(std::istream &in,
                     SerializationFormat format = SerializationFormat::Binary);

  /// Writes the vertices of the graph in Graphviz form.
  void outputVertexGraph(std::ostream &out,
                         ArrayRef<program::Program> programs = {}) const;
  /// Writes the compute sets and variables of the graph in Graphviz form.
  void outputComputeGraph(std::ostream &out,
                          ArrayRef<program::Program> programs = {}) const;

private:
  Graph(const Graph &parent, std::vector<unsigned> tiles);
  void shareOutTiles(const char *what);
  void checkConstantSize(ArrayRef<std::size_t> shape, std::size_t count) const;
  void setInitialValue(const Tensor &tensor, const void *values,
                       std::size_t count, const TypeTraits &traits);
  void setFieldValue(FieldRef field, const void *values, std::size_t count,
                     bool isList, const TypeTraits &traits);
  friend struct core::Access;

  /// Pointer to the graph's state. Throws if the graph was moved from.
  class ImplPointer {
  public:
    ImplPointer(std::shared_ptr<core::GraphImpl> impl)
        : impl(std::move(impl)) {}
    core::GraphImpl *get() const {
      if (!impl)
        failMoved();
      return impl.get();
    }
    const std::shared_ptr<core::GraphImpl> &shared() const { return impl; }
    core::GraphImpl *operator->() const { return get(); }
    core::GraphImpl &operator*() const { return *get(); }

  private:
    [[noreturn]] static void failMoved();
    std::shared_ptr<core::GraphImpl> impl;
  };

  ImplPointer impl;
  /// Tiles of a virtual graph; empty for a graph of all tiles.
  std::vector<unsigned> tiles;
  Target target;
  /// Number of replicas, and the distance between their tiles.
  unsigned replicas = 1;
  unsigned replicaStride = 0;
};

} // namespace poplar

#endif
