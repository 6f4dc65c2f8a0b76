// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of the functions of poplar::Graph that programs call, once. The
// program is compiled and linked; its functions are not run.

#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/MetadataCreation.hpp>

#include <iostream>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

void construction(const Target &target, const Device &device) {
  Graph fromTarget(target), fromDevice(device);
  Graph replicas(target, replication_factor(4));
  Graph replicasOfDevice(device, replication_factor(2));
  Graph empty;
  empty = std::move(fromTarget);
  Graph moved(std::move(empty));
  const Target &itsTarget = moved.getTarget();
  unsigned factor = moved.getReplicationFactor();
  std::string version = versionString(), hash = packageHash();
  (void)itsTarget, (void)factor;
}

void variables(Graph &graph, const Tensor &t, const DebugNameAndId &dnai) {
  Tensor scalar = graph.addVariable(FLOAT, {});
  graph.addVariable(FLOAT, {4}, "x");
  graph.addVariable(HALF, {2, 3}, {dnai, "y"});
  graph.addVariable(INT, t.shape(), VariableMappingMethod::LINEAR);
  graph.addVariable(INT, {4}, VariableMappingMethod::NONE, "z");
  Tensor metadata =
      createConstantMetadataTensor(graph, QuarterMetadata::Format::F143, 1);
  graph.addVariable(QUARTER, metadata, {4});
  graph.addVariable(QUARTER, metadata, {4}, VariableMappingMethod::LINEAR, "q");
  const float values[] = {1, 2, 3, 4};
  std::vector<float> list(values, values + 4);
  graph.addConstant<float>(FLOAT, {4}, {1.0f, 2.0f, 3.0f, 4.0f});
  graph.addConstant(FLOAT, {4}, values);
  graph.addConstant(FLOAT, {4}, &values[0], "c");
  graph.addConstant(FLOAT, {4}, ArrayRef<float>(list));
  graph.addConstant<float>(FLOAT, {4}, list);
  graph.addConstant(FLOAT, {4}, 1.0f);
  graph.addConstant(FLOAT, {}, 0, {dnai, "zero"});
  graph.addConstant<int>(INT, {2}, 7, "seven");
  graph.addConstant(FLOAT, {4}, static_cast<const void *>(values),
                    TypeTraits::make<float>(), false, "erased");
  const std::uint16_t half = 0x3c00;
  graph.addConstantHalf(HALF, {4}, half);
  graph.addConstantHalf(HALF, {1}, &half, "h");
  graph.addReplicationIndexConstant();
  graph.addReplicationIndexConstant("index");
  graph.clone(t);
  graph.clone(t, "copy", TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
  graph.clone(HALF, t);
  graph.clone(HALF, t, {dnai}, TensorCloneMethod::CREATE_NEW_ORDER);
  graph.clone(QUARTER, metadata, t, "q",
              TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  graph.cloneN(t, 3, "n", TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
               TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  graph.cloneN(HALF, t, 3, "n");
  graph.setInitialValue(scalar, 1.0f);
  graph.setInitialValue<float>(t, {1.0f, 2.0f});
  graph.setInitialValue(t, ArrayRef<float>(list));
  graph.setInitialValueHalf(t, half);
  graph.setInitialValueHalf(t, ArrayRef<std::uint16_t>(&half, 1));
}

void mapping(Graph &graph, const Tensor &t, VertexRef vertex) {
  graph.setTileMapping(t, 0);
  graph.setTileMapping(vertex, 1u);
  Graph::TileToTensorMapping places = graph.getTileMapping(t);
  graph.setTileMapping(t, places);
  graph.getTileMapping(t, false, true);
  bool complete;
  graph.getTileMapping(t, &complete);
  std::vector<std::size_t> aliases;
  std::vector<std::vector<Interval>> regions =
      graph.getSortedContiguousRegions(t, places[0]);
  graph.getSortedContiguousRegions(t, {{0, 4}}, true, &aliases);
  Tensor reference = t, other = t;
  graph.reorderToSimplify(&reference, {&other});
  graph.reorderToSimplify(&reference, {}, false);
  graph.findUnbroadcastTensor(t);
  VariableRef variable = t.getVarRegions().at(0).var;
  graph.getVariable(variable);
  bool constant = graph.isConstant(variable);
  (void)constant;
}

void vertices(Graph &graph, const Tensor &t, const DebugNameAndId &dnai) {
  ComputeSet set = graph.addComputeSet(), named = graph.addComputeSet({dnai});
  VertexRef v = graph.addVertex(set, "Vertex");
  graph.addVertex(named, std::string("Vertex"), {{"x", t}, {"y", t[0]}});
  std::vector<Tensor> list{t, t};
  graph.addVertex(set, "Vertex", {{"x", list}, {"k", 2.5f}, {"n", 3}});
  graph.connect(v["x"], t);
  graph.connect(v["x"][0], t[0]);
  graph.connect(v["x"], list);
  graph.connect(v["x"], {t, t});
  graph.connect(v["x"], 2.5f);
  graph.setInitialValue(v["k"], 1.0f);
  graph.setInitialValue(v["k"], 3u);
  graph.setInitialValue<std::uint16_t>(v["list"], {1, 2, 3});
  std::vector<unsigned> values{1, 2};
  graph.setInitialValue(v["list"], values);
  graph.setInitialValue(v["list"], ArrayRef<unsigned>(values));
  const std::uint16_t half = 0x3c00;
  graph.setInitialValueHalf(v["k"], half);
  graph.setInitialValueHalf(v["k"], ArrayRef<std::uint16_t>(&half, 1));
  graph.setFieldSize(v["x"], 4);
  std::size_t most = graph.getMaxFieldDim("Vertex", "x", 0);
  std::uint64_t largest = graph.getMaxVertexFieldValue("Vertex", "k");
  graph.getMaxVertexFieldValueAs<std::uint64_t>("Vertex", "k");
  graph.getMaxVertexFieldValueAs<std::int64_t>("Vertex", "k");
  bool has = graph.hasCodelet("Vertex");
  graph.setPerfEstimate(v, 20);
  graph.setPerfEstimate(v, 20, 3);
  graph.setCycleEstimate(v, 20);
  graph.registerPerfEstimator(
      "Vertex", [](const VertexIntrospector &vertex, const Target &) {
        const FieldData field = vertex.getFieldInfo("x");
        std::uint64_t cycles = field.size() + field.getSizeAtIndex(0);
        if (field.getProfilerVectorLayout(0) == layout::Vector::Span)
          ++cycles;
        if (field.getProfilerVectorListLayout() == layout::VectorList::OnePtr)
          ++cycles;
        return VertexPerfEstimate(cycles, 4);
      });
  PerfEstimateFunc estimate = [](const VertexIntrospector &vertex,
                                 const Target &target) {
    const FieldData field = vertex.getFieldInfo("k");
    return VertexPerfEstimate(field.getInitialValue<unsigned>(target) +
                              field.getInitialValues<float>(target).size());
  };
  graph.registerPerfEstimator("Other", estimate);
  graph.registerCycleEstimator("Vertex",
                               [](const VertexIntrospector &, const Target &) {
                                 return std::uint64_t(5);
                               });
  std::size_t sets = graph.numComputeSets(), count = graph.numVertices();
  set == named;
  set.getId();
  v.getId();
  v["x"][0].isIndexed();
  v["x"][0].getIndex();
  (void)most, (void)largest, (void)has, (void)sets, (void)count;
}

void codelets(Graph &graph) {
  bool added = graph.addCodelets("codelets.gp");
  graph.addCodelets(__FILE__, CodeletFileType::Auto, "-O3 -g", "ipu2");
  graph.addCodelets(std::string("a.cpp"), CodeletFileType::CppSource);
  graph.addCodelets({"a.cpp", "b.cpp"}, "-O2");
  std::vector<std::string> paths{"a.cpp"};
  graph.addCodelets(paths);
  std::stringstream source;
  graph.addCodelets(source);
  graph.addCodelets(source, "-O3", std::cerr);
  graph.addCodelets(source, "-O3", std::cerr, CodeletFileType::CppSource);
  (void)added;
}

void host(Graph &graph, const Tensor &t, Sequence &prog) {
  graph.createHostWrite("w", t);
  graph.createHostRead("r", t, true);
  DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, t.numElements());
  graph.addHostToDeviceFIFO("in2", FLOAT, 4, ReplicatedStreamMode::BROADCAST,
                            {{"bufferingDepth", "2"}, {"splitLimit", "0"}});
  DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, 4);
  graph.addDeviceToHostFIFO("out2", FLOAT, 4, {{"splitLimit", "0"}});
  RemoteBuffer buffer = graph.addRemoteBuffer("b", FLOAT, 4);
  graph.addRemoteBuffer("b2", FLOAT, 4, 10, true, true);
  HostFunction function =
      graph.addHostFunction("f", {{FLOAT, 4}, {INT, 2}}, {{FLOAT, 1}});
  std::vector<Graph::HostFunctionArgument> arguments{
      Graph::HostFunctionArgument(FLOAT, 4)};
  graph.addHostFunction("g", arguments, {});
  in.handle(), in.numElements(), in.elementType();
  buffer.handle(), buffer.elementType(), buffer.numElements();
  buffer.getRepeats(), buffer.isRearrangeOnHost();
  buffer.isOptimisedForMemory();
  prog.add(Copy(in, t));
  prog.add(Copy(in, t, true, "in"));
  prog.add(Copy(t, out));
  prog.add(Copy(t, out, false, {"out"}));
  prog.add(Copy(buffer, t));
  prog.add(Copy(buffer, t, t[0], "row"));
  prog.add(Copy(t, buffer, {"all"}));
  prog.add(Copy(t, buffer, t[0]));
  prog.add(Call(function, {t, t}, {t}, "call"));
}

void parts(Graph &graph, Sequence &prog) {
  Function function = graph.addFunction(prog);
  FunctionBuffer buffer =
      graph.addFunctionBuffer(function, FunctionBufferMappingType::REMOTE);
  prog.add(Copy(buffer, function, "load"));
  prog.add(Call(function));
  Graph part = graph.createVirtualGraph(0, 4);
  Graph listed = graph.createVirtualGraph(std::vector<unsigned>{0, 2, 3});
  Graph fewer = graph.createVirtualGraph(4);
  Graph top = part.getTopLevelGraph();
  unsigned tile = part.convertVirtualTileToPhysicalTile(1);
  (void)tile;
}

void dumps(Graph &graph, const Tensor &t, const Sequence &prog) {
  graph.outputComputeGraph(std::cout, {prog});
  graph.outputComputeGraph(std::cout);
  graph.outputVertexGraph(std::cout, {prog});
  graph.serialize(std::cout, SerializationFormat::Binary);
  graph.serialize(std::cout, {prog}, SerializationFormat::JSON);
  graph.serializeTensors(std::cout, {t}, SerializationFormat::Binary);
  std::vector<Tensor> tensors =
      graph.deserializeTensors(std::cin, SerializationFormat::Binary);
  dumpProgram(graph, prog, std::cout);
}

int main() { return 0; }
