// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs, tensors and debug information as files; function buffers; 8-bit
// floats, which are known by name only.

#include "test/unit/Poplar/TestArchive.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include <unistd.h>

using namespace poplar;

namespace {

class SerializationTest : public ::testing::Test {
protected:
  SerializationTest() {
    IPUModel model;
    model.tilesPerIPU = 2;
    device = model.createDevice();
    graph = Graph(device.getTarget());
  }
  Device device;
  Graph graph;
};

TEST_F(SerializationTest, Tensors) {
  const Tensor a = graph.addVariable(FLOAT, {4, 3}, "a");
  const Tensor b = graph.addVariable(FLOAT, {3}, "b");
  const Tensor view =
      concat(a.transpose(), b.expand({1}), 1).slice(1, 3).reverse(1);
  const Tensor bits = b.reinterpret(INT);
  for (const auto format :
       {SerializationFormat::Binary, SerializationFormat::JSON}) {
    std::stringstream file;
    graph.serializeTensors(file, {view, bits, a}, format);
    Graph other(device.getTarget());
    other.addVariable(FLOAT, {1}, "in front");
    const std::vector<Tensor> read = other.deserializeTensors(file, format);
    ASSERT_EQ(read.size(), 3u);
    EXPECT_EQ(read[0].shape(), view.shape());
    EXPECT_EQ(read[1].elementType(), INT);
    // The same views of the new variables.
    const Tensor newA = read[2], newB = read[1].reinterpret(FLOAT);
    EXPECT_EQ(
        read[0],
        concat(newA.transpose(), newB.expand({1}), 1).slice(1, 3).reverse(1));
  }
}

TEST_F(SerializationTest, DamagedTensors) {
  const Tensor a = graph.addVariable(FLOAT, {4}, "a");
  std::stringstream file;
  graph.serializeTensors(file, a, SerializationFormat::JSON);
  const auto json = nlohmann::ordered_json::parse(file.str());
  const auto expectRefused = [&](const char *pointer,
                                 const nlohmann::ordered_json &value) {
    nlohmann::ordered_json changed = json;
    changed[nlohmann::ordered_json::json_pointer(pointer)] = value;
    std::stringstream in(changed.dump());
    EXPECT_THROW(graph.deserializeTensors(in, SerializationFormat::JSON),
                 parse_error)
        << pointer << " = " << value;
  };
  expectRefused("/tensors/0/elements/0/0", 1);
  expectRefused("/tensors/0/elements/0/1", 1);
  expectRefused("/tensors/0/elements/0/1", -1);
  expectRefused("/tensors/0/elements/0/2", 1LL << 62);
  expectRefused("/tensors/0/elements/0/3", 5);
  expectRefused("/tensors/0/shape", {5});
  expectRefused("/tensors/0/type", "double");
  expectRefused("/tensors/0/type", "half");
  expectRefused("/variables/0/numElements", "many");
  std::stringstream nothing;
  EXPECT_THROW(graph.deserializeTensors(nothing), parse_error);
  Graph other(device.getTarget());
  EXPECT_THROW(other.serializeTensors(file, a), poplar_error);
}

TEST_F(SerializationTest, Graph) {
  graph.addCodelets(testArchive());
  const Tensor in = graph.addVariable(INT, {4}, "in");
  const Tensor out = graph.addVariable(INT, {}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 1);
  const ComputeSet set = graph.addComputeSet("sums");
  graph.setTileMapping(
      graph.addVertex(set, "Sum", {{"in", in.reverse(0)}, {"out", out}}), 1);
  std::stringstream file;
  graph.serialize(file, program::Repeat(2, program::Execute(set)),
                  SerializationFormat::JSON);
  const auto json = nlohmann::json::parse(file.str());
  EXPECT_EQ(json["target"]["tilesPerIPU"], 2);
  EXPECT_EQ(json["variables"][0]["name"], "in");
  EXPECT_EQ(json["variables"][0]["mapping"][0]["end"], 4);
  const auto &vertex = json["computeSets"][0]["vertices"][0];
  EXPECT_EQ(vertex["type"], "Sum");
  EXPECT_EQ(vertex["tile"], 1);
  EXPECT_EQ(vertex["fields"]["in"][0][0], nlohmann::json::array({0, 3, -1, 4}));
  EXPECT_EQ(json["programs"][0]["type"], "Repeat");
  EXPECT_EQ(json["programs"][0]["children"][0]["computeSet"], 0);

  std::stringstream binary;
  graph.serialize(binary, SerializationFormat::Binary);
  const std::string text = binary.str();
  EXPECT_EQ(nlohmann::json::from_cbor(text)["computeSets"],
            json["computeSets"]);
}

TEST_F(SerializationTest, DebugInformation) {
  const std::string file =
      std::filesystem::temp_directory_path() /
      ("populus-debug-" + std::to_string(getpid()) + ".json");
  for (const auto format :
       {DebugSerializationFormat::JSON, DebugSerializationFormat::CBOR}) {
    EXPECT_FALSE(DebugInfo("before", "layer").setValue("fact", 1));
    DebugInfo::initializeStreamer(file, format);
    {
      DebugInfo outer(DebugContext("outer"), "layer");
      EXPECT_TRUE(outer.setValue("fact", ProfileValue::Vector{1, "two"}));
      DebugInfo inner({outer, "inner"}, "below");
      EXPECT_EQ(inner.getPathName(), "outer/inner");
    }
    DebugInfo::closeStreamer();
    std::ifstream in(file, std::ios::binary);
    const auto json = format == DebugSerializationFormat::JSON
                          ? nlohmann::json::parse(in)
                          : nlohmann::json::from_cbor(in);
    ASSERT_EQ(json.size(), 2u);
    EXPECT_EQ(json[0]["name"], "inner");
    EXPECT_EQ(json[0]["layer"], "below");
    EXPECT_EQ(json[0]["parentId"], json[1]["id"]);
    EXPECT_EQ(json[1]["values"]["fact"][1], "two");
    EXPECT_NE(std::string(json[1]["location"]["fileName"])
                  .find("SerializationTest.cpp"),
              std::string::npos);
  }
  std::filesystem::remove(file);
  EXPECT_THROW(DebugInfo::initializeStreamer("/no/such/folder/file"),
               poplar_error);
}

TEST_F(SerializationTest, FunctionBuffers) {
  const Tensor value = graph.addVariable(INT, {}, "value");
  graph.setTileMapping(value, 0);
  const Tensor seven = graph.addConstant(INT, {}, 7);
  graph.setTileMapping(seven, 0);
  const Function function = graph.addFunction(program::Copy(seven, value));
  const Function other = graph.addFunction(program::Sequence());
  const FunctionBuffer buffer =
      graph.addFunctionBuffer(function, FunctionBufferMappingType::REMOTE);
  EXPECT_THROW(program::Copy(buffer, other), control_program_error);
  EXPECT_THROW(
      graph.addFunctionBuffer(Function(), FunctionBufferMappingType::REMOTE),
      poplar_error);
  graph.createHostRead("value", value);
  Engine engine(graph, program::Sequence{program::Copy(function, buffer),
                                         program::Copy(buffer, function),
                                         program::Call(function)});
  engine.loadAndRun(device);
  int result = 0;
  engine.readTensor("value", &result, &result + 1);
  EXPECT_EQ(result, 7);
}

TEST_F(SerializationTest, OptionsAsAProfileValue) {
  EXPECT_EQ(getAsProfileValue({{"key", "value"}})["key"].asString(), "value");
}

} // namespace
