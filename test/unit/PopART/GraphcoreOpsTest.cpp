// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of Graphcore's domain with several inputs, against plain float64
// computations.

#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <cmath>

namespace popart::test {
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

} // namespace
} // namespace popart::test
