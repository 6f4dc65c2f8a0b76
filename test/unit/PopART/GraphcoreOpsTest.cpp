// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of Graphcore's domain with several inputs, against plain float64
// computations.

#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace populus::popir::test {
namespace {

/// A model of one node of the domain ai.graphcore; weights are all inputs but
/// the first.
Array runNode(const std::string &type, const std::vector<Array> &inputs,
              const std::vector<std::string> &outputs,
              const std::string &wanted,
              const std::vector<Attr> &attributes = {}) {
  ModelBuilder m;
  onnx::OperatorSetIdProto &import = *m.model.add_opset_import();
  import.set_domain("ai.graphcore");
  import.set_version(1);
  std::vector<std::string> names;
  for (std::size_t i = 0; i != inputs.size(); ++i) {
    names.push_back("x" + std::to_string(i));
    if (i == 0)
      m.input(names[i], inputs[i].shape);
    else
      m.weight(names[i], inputs[i]);
  }
  m.node(type, names, outputs, attributes).output(wanted);
  m.model.mutable_graph()->mutable_node(0)->set_domain("ai.graphcore");
  return run(m.model, {{"x0", inputs[0]}}).at(wanted);
}

TEST(GraphcoreOps, ConvFlipWeights) {
  Array w = randomArray({2, 3, 2, 4}, 51);
  Array wanted{{3, 2, 2, 4}, std::vector<double>(48)};
  for (std::int64_t o = 0; o != 2; ++o)
    for (std::int64_t i = 0; i != 3; ++i)
      for (std::int64_t y = 0; y != 2; ++y)
        for (std::int64_t x = 0; x != 4; ++x)
          wanted({i, o, 1 - y, 3 - x}) = w({o, i, y, x});
  expectClose(runNode("ConvFlipWeights", {w}, {"y"}, "y"), wanted);
}

/// The outputs of all steps, and the last cell state.
struct LstmResult {
  Array outputs, cell;
};

LstmResult referenceLstm(const Array &x, const Array &w, const Array &bias,
                         const Array &state) {
  std::int64_t steps = x.shape[0], batch = x.shape[1], in = x.shape[2];
  std::int64_t size = w.shape[2];
  auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  LstmResult result;
  result.outputs = {{steps, batch, size},
                    std::vector<double>(steps * batch * size)};
  result.cell = {{batch, size}, std::vector<double>(batch * size)};
  for (std::int64_t b = 0; b != batch; ++b) {
    std::vector<double> h, c;
    for (std::int64_t i = 0; i != size; ++i) {
      h.push_back(state({0, b, i}));
      c.push_back(state({1, b, i}));
    }
    for (std::int64_t t = 0; t != steps; ++t) {
      std::vector<double> next(size);
      for (std::int64_t i = 0; i != size; ++i) {
        double unit[4];
        for (std::int64_t g = 0; g != 4; ++g) {
          unit[g] = bias({g, i});
          for (std::int64_t k = 0; k != in; ++k)
            unit[g] += x({t, b, k}) * w({g, k, i});
          for (std::int64_t k = 0; k != size; ++k)
            unit[g] += h[k] * w({g, in + k, i});
        }
        c[i] = sigmoid(unit[0]) * c[i] + sigmoid(unit[1]) * std::tanh(unit[2]);
        next[i] = sigmoid(unit[3]) * std::tanh(c[i]);
        result.outputs({t, b, i}) = next[i];
        result.cell({b, i}) = c[i];
      }
      h = next;
    }
  }
  return result;
}

TEST(GraphcoreOps, Lstm) {
  Array x = randomArray({3, 2, 5}, 52), w = randomArray({4, 5 + 4, 4}, 53);
  Array bias = randomArray({4, 4}, 54), state = randomArray({2, 2, 4}, 55);
  Array zeros{{4, 4}, std::vector<double>(16)};
  Array noState{{2, 2, 4}, std::vector<double>(16)};

  LstmResult wanted = referenceLstm(x, w, bias, state);
  std::vector<std::string> results = {"y", "c"};
  std::vector<Array> all = {x, w, bias, state};
  expectClose(runNode("LSTM", all, results, "y"), wanted.outputs);
  expectClose(runNode("LSTM", all, results, "c"), wanted.cell);

  Array last =
      runNode("LSTM", all, results, "y", {{"output_full_sequence", 0}});
  Array lastStep{
      {2, 4}, {wanted.outputs.values.end() - 8, wanted.outputs.values.end()}};
  expectClose(last, lastStep);

  expectClose(runNode("LSTM", {x, w}, {"y"}, "y"),
              referenceLstm(x, w, zeros, noState).outputs);
}

/// x, 5 by 4, and an index that the model reads: two rows and one column there.
Array runDynamic(const std::string &type, const Array &x, const Array &slice,
                 double row, double column, const MachineOptions &machine) {
  ModelBuilder m;
  onnx::OperatorSetIdProto &import = *m.model.add_opset_import();
  import.set_domain("ai.graphcore");
  import.set_version(1);
  m.input("x", {5, 4}).input("i", {2}, onnx::TensorProto::INT32);
  m.weight("s", slice);
  std::vector<std::string> inputs = {"x", "i"};
  if (type == "DynamicUpdate" || type == "DynamicAdd")
    inputs.push_back("s");
  m.node(type, inputs, {"y"},
         {{"axes", std::vector<std::int64_t>{0, 1}},
          {"sizes", std::vector<std::int64_t>{2, 1}}});
  m.output("y");
  m.model.mutable_graph()->mutable_node(0)->set_domain("ai.graphcore");
  return run(m.model, {{"x", x}, {"i", {{2}, {row, column}}}}, machine).at("y");
}

TEST(GraphcoreOps, SlicesAtPlacesOfTheRun) {
  const Array x = randomArray({5, 4}, 61), s = randomArray({2, 1}, 62);
  for (const MachineOptions &machine :
       {MachineOptions{"cpu", "cpu"}, MachineOptions{"ipu2", "ipu", 1, 3}})
    for (auto [row, column] :
         {std::pair<std::int64_t, std::int64_t>{0, 0}, {3, 2}, {1, 3}}) {
      Array slice{{2, 1}, {x({row, column}), x({row + 1, column})}};
      Array update = x, sum = x, zero = x;
      for (std::int64_t k = 0; k != 2; ++k) {
        update({row + k, column}) = s({k, 0});
        sum({row + k, column}) += s({k, 0});
        zero({row + k, column}) = 0;
      }
      auto result = [&](const std::string &type) {
        return runDynamic(type, x, s, static_cast<double>(row),
                          static_cast<double>(column), machine);
      };
      expectClose(result("DynamicSlice"), slice);
      expectClose(result("DynamicUpdate"), update);
      expectClose(result("DynamicAdd"), sum);
      expectClose(result("DynamicZero"), zero);
    }
}

TEST(GraphcoreOps, OneResultEach) {
  const Array x = randomArray({2, 3, 4}, 63), b = randomArray({3}, 64);
  Array sum = x, wrapped = x, part{{2, 2, 4}, {}}, buckets = x;
  const Array bounds{{4}, {-1.5, -0.5, 0.25, 1}};
  for (std::int64_t i = 0; i != 24; ++i) {
    sum.values[i] += b.values[i / 4 % 3];
    wrapped.values[i] = std::fmod(x.values[i] + 3, 2);
    if (i / 4 % 3 != 0)
      part.values.push_back(x.values[i]);
    buckets.values[i] = 0;
    for (double bound : bounds.values)
      buckets.values[i] += bound < x.values[i];
  }
  Array flat = x;
  flat.shape = {6, 4};
  for (const MachineOptions &machine :
       {MachineOptions{"cpu", "cpu"}, MachineOptions{"ipu2", "ipu", 1, 3}}) {
    auto result = [&](const char *type, const std::vector<Operand> &operands,
                      const std::vector<Attr> &attributes = {}) {
      return runGraphcore(type, operands, attributes, machine);
    };
    expectClose(result("AddBias", {x, b}), sum);
    expectClose(
        result("IncrementMod", {x}, {{"increment", 3.0F}, {"modulus", 2.0F}}),
        wrapped);
    expectClose(result("Slice", {x},
                       {{"starts", std::vector<std::int64_t>{1}},
                        {"ends", std::vector<std::int64_t>{3}},
                        {"axes", std::vector<std::int64_t>{1}}}),
                part);
    expectClose(
        result("Reshape", {x}, {{"shape", std::vector<std::int64_t>{6, -1}}}),
        flat);
    expectClose(result("Bucketize", {x, bounds}), buckets);
    expectClose(result("TensorRemap", {x}, {{"remap_type", 2}}), x);
    expectClose(result("ShapedDropout", {x},
                       {{"shape", std::vector<std::int64_t>{3, 1}}}),
                x);
    expectClose(result("ReplicatedAllReduce", {x}), x);
    expectClose(result("ZerosLike", {x}),
                {x.shape, std::vector<double>(x.values.size())});
  }
  // Boundaries themselves are in the bucket below, or above.
  const Array ends{{2}, {-0.5, 1}};
  EXPECT_EQ(runGraphcore("Bucketize", {ends, bounds}).values,
            (std::vector<double>{1, 3}));
  EXPECT_EQ(runGraphcore("Bucketize", {ends, bounds}, {{"right", 1}}).values,
            (std::vector<double>{2, 4}));
}

TEST(GraphcoreOps, NormalizeImage) {
  const Array image{{1, 2, 2, 3}, {0, 255, 17, 3, 4, 5, 6, 7, 8, 9, 250, 11}};
  const Array offset = randomArray({3}, 65), factor = randomArray({3}, 66);
  Array wanted{{1, 2, 2, 4}, {}};
  for (std::int64_t i = 0; i != 12; ++i) {
    wanted.values.push_back((image.values[i] * 0.125 - offset.values[i % 3]) *
                            factor.values[i % 3]);
    if (i % 3 == 2)
      wanted.values.push_back(0);
  }
  for (int type : {onnx::TensorProto::FLOAT, onnx::TensorProto::UINT8})
    expectClose(runGraphcore("NormalizeImage", {{image, type}, offset, factor},
                             {{"scale", 0.125F}}),
                wanted);
}

/// Its convolutions are those of single nodes.
TEST(GraphcoreOps, MultiConv) {
  using Ints = std::vector<std::int64_t>;
  ModelBuilder m;
  onnx::OperatorSetIdProto &import = *m.model.add_opset_import();
  import.set_domain("ai.graphcore");
  import.set_version(1);
  m.input("a", {1, 4, 7, 6}).input("b", {2, 2, 9});
  m.weight("v", randomArray({6, 2, 3, 2}, 67));
  m.weight("w", randomArray({3, 2, 4}, 68));
  m.node("MultiConv", {"a", "v", "b", "w"}, {"y", "z"},
         {{"dilations", Ints{1, 2, 2}},
          {"strides", Ints{2, 1, 3}},
          {"pads", Ints{1, 0, 0, 2, 3, 1}}});
  m.model.mutable_graph()->mutable_node(0)->set_domain("ai.graphcore");
  m.node("Conv", {"a", "v"}, {"c"},
         {{"group", 2},
          {"dilations", Ints{1, 2}},
          {"strides", Ints{2, 1}},
          {"pads", Ints{1, 0, 0, 2}}});
  m.node("Conv", {"b", "w"}, {"d"},
         {{"dilations", Ints{2}}, {"strides", Ints{3}}, {"pads", Ints{3, 1}}});
  for (const char *name : {"y", "z", "c", "d"})
    m.output(name);
  auto results = run(m.model, {{"a", randomArray({1, 4, 7, 6}, 69)},
                               {"b", randomArray({2, 2, 9}, 70)}});
  expectClose(results.at("y"), results.at("c"));
  expectClose(results.at("z"), results.at("d"));
  m.model.mutable_graph()->mutable_node(0)->mutable_attribute(0)->add_ints(1);
  EXPECT_THROW(importModel(m.model), Error);
}

TEST(GraphcoreOps, AbortEndsTheRun) {
  ModelBuilder m;
  onnx::OperatorSetIdProto &import = *m.model.add_opset_import();
  import.set_domain("ai.graphcore");
  import.set_version(1);
  m.input("x", {}).node("Abort", {"x"}, {}).node("Neg", {"x"}, {"y"});
  m.output("y").model.mutable_graph()->mutable_node(0)->set_domain(
      "ai.graphcore");
  for (const MachineOptions &machine :
       {MachineOptions{"cpu", "cpu"}, MachineOptions{"ipu2", "ipu", 1, 3}}) {
    EXPECT_EQ(run(m.model, {{"x", {{}, {0}}}}, machine).at("y").values[0], 0);
    EXPECT_THROW(run(m.model, {{"x", {{}, {1}}}}, machine), std::exception);
  }
}

TEST(GraphcoreOps, OperandsThatDoNotFitAreRefused) {
  constexpr int Int32 = onnx::TensorProto::INT32;
  auto refused = [](const std::string &type,
                    const std::vector<Operand> &operands,
                    const std::string &message) {
    try {
      runGraphcore(type, operands);
      ADD_FAILURE() << type << " was accepted";
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos)
          << error.what();
    }
  };
  const char *types = "types float and int32; cast one of them";
  const Array image = randomArray({1, 2, 4, 4}, 71);
  const Array kernel = randomArray({2, 2, 2, 2}, 72);
  refused("MultiConv", {image, randomArray({2, 2, 5, 2}, 73)},
          "its kernel 2x2x5x2 is larger than the data 1x2x4x4");
  refused("MultiConv", {image, {kernel, Int32}}, types);
  refused("LSTM",
          {randomArray({2, 1, 3}, 74), {randomArray({4, 5, 2}, 75), Int32}},
          types);
  refused("NormalizeImage",
          {randomArray({2, 2, 3}, 76),
           randomArray({3}, 77),
           {randomArray({3}, 78), Int32}},
          types);
}

TEST(GraphcoreOps, InitNamesWhatItDoesNotKnow) {
  const auto refused = [](const Attr &attribute, const std::string &message) {
    try {
      runGraphcore("Init", {},
                   {attribute, {"shape", std::vector<std::int64_t>{2}}});
      ADD_FAILURE() << message;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos)
          << error.what();
    }
  };
  refused({"data_type", 99}, "its data_type 99 is not supported");
  refused({"init_type", 7}, "its init_type 7 is neither 0 (NoInit)");
}

} // namespace
} // namespace populus::popir::test
