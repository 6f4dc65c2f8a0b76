// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Look-ups and updates where there is nothing: data without elements is refused
// where indices choose of it, and is no problem where they do not.

#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

namespace populus::popir::test {
namespace {

struct EmptyCase {
  const char *type;
  Shape data, indices;
  std::vector<Attr> attributes;
  /// A part of the expected Error's text; null if the model has to run.
  const char *message;
  /// Shapes of updates, for Scatter operators.
  std::vector<Shape> updates = {};
};

constexpr const char *NoChoice = "can choose nothing of data";

const EmptyCase Cases[] = {
    {"Gather", {0, 3}, {2}, {}, NoChoice},
    {"Gather", {3, 0}, {2}, {{"axis", 1}}, NoChoice},
    {"Gather", {3, 0}, {2}, {}, nullptr},
    {"Gather", {0, 2}, {0}, {}, nullptr},
    {"GatherElements", {0, 3}, {2, 3}, {}, NoChoice},
    {"GatherElements", {0, 3}, {0, 3}, {}, nullptr},
    {"GatherND", {0, 3}, {2, 1}, {}, NoChoice},
    {"GatherND", {0, 3}, {2, 1}, {{"batch_dims", 1}}, "do not go with data"},
    {"GatherND", {2, 3}, {3, 1}, {{"batch_dims", 1}}, "do not go with data"},
    {"GatherND", {0, 3}, {0, 1}, {{"batch_dims", 1}}, nullptr},
    {"GatherND", {2, 3, 0}, {3, 1}, {}, nullptr},
    {"ScatterElements", {0, 3}, {2, 3}, {}, NoChoice, {{2, 3}}},
    {"ScatterElements", {0, 3}, {0, 3}, {}, nullptr, {{0, 3}}},
    {"ScatterND", {0, 3}, {2, 1}, {}, NoChoice, {{2, 3}}},
    {"ScatterND", {4, 0}, {2, 1}, {}, nullptr, {{2, 0}}},
};

Array zeros(const Shape &shape) {
  return {shape,
          std::vector<double>(static_cast<std::size_t>(numElements(shape)))};
}

/// The text of the Error that running the model ends with; empty if it ends
/// well.
std::string outcome(const EmptyCase &test) {
  ModelBuilder m;
  m.input("data", test.data);
  m.input("indices", test.indices, onnx::TensorProto::INT64);
  std::map<std::string, Array> inputs = {{"data", zeros(test.data)},
                                         {"indices", zeros(test.indices)}};
  std::vector<std::string> names = {"data", "indices"};
  if (!test.updates.empty()) {
    m.input("updates", test.updates[0]);
    inputs["updates"] = zeros(test.updates[0]);
    names.push_back("updates");
  }
  m.node(test.type, names, {"y"}, test.attributes).output("y");
  try {
    EXPECT_TRUE(run(m.model, inputs).at("y").values.empty()) << test.type;
    return "";
  } catch (const Error &error) {
    return error.what();
  }
}

TEST(EmptyData, IndicesChooseNothingOrAreRefused) {
  for (const EmptyCase &test : Cases) {
    const std::string text = outcome(test);
    if (!test.message)
      EXPECT_EQ(text, "") << test.type;
    else
      EXPECT_NE(text.find(test.message), std::string::npos)
          << test.type << ": '" << text << "'";
  }
}

TEST(EmptyData, GroupedOperatorsNeedGroups) {
  constexpr int Int32 = onnx::TensorProto::INT32;
  auto gather = [](const Shape &data, const Shape &indices, int groups) {
    return runGraphcore("GroupedGather", {zeros(data), {zeros(indices), Int32}},
                        {{"axis", 1}, {"group_size", groups}});
  };
  EXPECT_THROW(gather({0, 3}, {0, 2}, 0), Error);
  EXPECT_THROW(gather({2, 0, 3}, {2, 2}, 2), Error);
  EXPECT_TRUE(gather({2, 4, 0}, {2, 2}, 2).values.empty());
  const Array sums =
      runGraphcore("ScatterReduce", {zeros({0, 3}), {zeros({0}), Int32}},
                   {{"axis", 0}, {"axis_size", 2}});
  EXPECT_EQ(sums.values, std::vector<double>(6, 0));
}

TEST(EmptyData, RecurrentOperatorsNeedSteps) {
  ModelBuilder m;
  m.input("x", {0, 2, 3});
  m.weight("w", zeros({1, 16, 3})).weight("r", zeros({1, 16, 4}));
  m.node("LSTM", {"x", "w", "r"}, {"y"}, {{"hidden_size", 4}}).output("y");
  EXPECT_THROW(run(m.model, {{"x", zeros({0, 2, 3})}}), Error);
}

} // namespace
} // namespace populus::popir::test
