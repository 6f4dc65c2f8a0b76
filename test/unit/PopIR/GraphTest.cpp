// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits of graphs: edges agree at both ends, the order of operators holds. The
// tests link the IR alone, with operators of their own.

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/IR/Text.h"
#include "lib/PopART/IR/Verifier.h"
#include "lib/PopART/Support/Error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace populus::popir::test {
namespace {

/// Returns its first input's type, in memory of its own.
class Plain final : public Op {
public:
  using Op::Op;
  std::vector<TensorInfo> infer() const override { return {input(0).info}; }
  bool ownsResult() const override { return true; }
  bool canComputeInPlace(std::size_t) const override { return true; }
};

/// A view of its first input.
class View final : public Op {
public:
  using Op::Op;
  std::vector<TensorInfo> infer() const override { return {input(0).info}; }
};

const RegisterOp<Plain> plain("Plain", {1});
const RegisterOp<View> view("View", {1});

const TensorInfo Two = {DataType::Float, {2}};

class GraphTest : public testing::Test {
protected:
  Op &add(const std::string &type, std::vector<Value *> inputs,
          const std::string &name, Op *before = nullptr) {
    OpSpec spec{{"", type, 1}, name, {}, inputs.size(), 1};
    return graph.addOp(createOp(std::move(spec)), std::move(inputs),
                       {&graph.addValue(name, Two)}, before);
  }
  Value &value(const std::string &name) { return *graph.findValue(name); }

  std::string order() const {
    std::string names;
    for (const Op *op : graph.ops())
      names += op->name();
    return names;
  }

  Module module;
  Graph &graph = module.addGraph("g");
  Value &x = graph.addArgument("x", Two);
};

TEST_F(GraphTest, UsesFollowEdits) {
  Op &a = add("Plain", {&x, &x}, "a");
  Op &b = add("Plain", {&value("a"), &x}, "b");
  EXPECT_EQ(x.uses().size(), 3u);
  EXPECT_EQ(x.users(), (std::vector<Op *>{&a, &b}));
  EXPECT_EQ(value("a").onlyUser(), &b);
  graph.setInput(a, 0, nullptr);
  EXPECT_EQ(x.uses().size(), 2u);
  graph.replaceUses(x, value("a"));
  EXPECT_FALSE(x.isUsed());
  EXPECT_EQ(b.inputs(), (std::vector<Value *>{&value("a"), &value("a")}));
  EXPECT_EQ(value("a").onlyUser(), nullptr);
}

TEST_F(GraphTest, ResultsAreUses) {
  add("Plain", {&x}, "a");
  add("Plain", {&x}, "b");
  graph.addResult("y", value("a"));
  EXPECT_TRUE(value("a").isUsed());
  EXPECT_EQ(value("a").onlyUser(), nullptr);
  graph.replaceUses(value("a"), value("b"));
  EXPECT_EQ(graph.results()[0].name, "y");
  EXPECT_EQ(graph.results()[0].value, &value("b"));
  EXPECT_FALSE(value("a").isGraphResult());
}

TEST_F(GraphTest, OrderHoldsAfterManyInsertions) {
  Op &last = add("Plain", {&x}, "z");
  // Always at one place, so that numbers run out again and again.
  Op *place = &last;
  for (int i = 0; i != 500; ++i)
    place = &add("Plain", {&x}, "n" + std::to_string(i), place);
  std::vector<const Op *> ops(graph.ops().begin(), graph.ops().end());
  ASSERT_EQ(ops.size(), 501u);
  for (std::size_t i = 1; i != ops.size(); ++i)
    ASSERT_TRUE(ops[i - 1]->isBefore(*ops[i]));
  graph.moveBefore(last, graph.ops().front());
  EXPECT_EQ(graph.ops().front(), &last);
  EXPECT_TRUE(last.isBefore(*place));
}

TEST_F(GraphTest, RemovalKeepsTheOrderOfOthers) {
  Op &a = add("Plain", {&x}, "a"), &b = add("Plain", {&x}, "b"),
     &c = add("Plain", {&x}, "c");
  graph.addOrder(a, b);
  graph.addOrder(b, c);
  graph.erase(b);
  EXPECT_EQ(order(), "ac");
  EXPECT_EQ(c.runsAfter(), std::vector<Op *>{&a});
  EXPECT_EQ(graph.findValue("b"), nullptr);
  EXPECT_EQ(x.uses().size(), 2u);
}

TEST_F(GraphTest, RandomEditsLeaveAValidGraph) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (int step = 0; step != 3000; ++step) {
    std::vector<Op *> ops(graph.ops().begin(), graph.ops().end());
    Op *place = ops.empty() ? nullptr : ops[below(ops.size())];
    std::vector<Value *> known = {&x};
    for (Op *op : ops)
      if (place && op->isBefore(*place))
        known.push_back(op->outputs()[0]);
    switch (below(4)) {
    case 0:
    case 1:
      add(below(2) ? "Plain" : "View",
          {known[below(known.size())], known[below(known.size())]},
          graph.uniqueName("v"), place);
      break;
    case 2:
      if (place)
        graph.setInput(*place, below(2), known[below(known.size())]);
      break;
    case 3:
      if (place) {
        graph.replaceUses(*place->outputs()[0], *known[below(known.size())]);
        graph.erase(*place);
      }
    }
    ASSERT_EQ(verify(module), std::vector<std::string>()) << step;
  }
  const std::string text = toString(module);
  EXPECT_EQ(toString(*parseModule(text, "text")), text);
}

TEST_F(GraphTest, NamesAreUnique) {
  EXPECT_EQ(graph.uniqueName("x"), "x/1");
  graph.addValue("x/1", Two);
  EXPECT_EQ(graph.uniqueName("x"), "x/2");
  EXPECT_THROW(graph.addValue("x", Two), Error);
  graph.rename(x, "w");
  EXPECT_EQ(graph.findValue("x"), nullptr);
  EXPECT_EQ(graph.findValue("w"), &x);
}

TEST_F(GraphTest, ViewsShareMemory) {
  add("View", {&x}, "v");
  add("View", {&value("v")}, "w");
  add("Plain", {&value("w")}, "p");
  add("View", {&value("p")}, "q");
  const Aliases aliases(graph);
  EXPECT_TRUE(aliases.mayAlias(x, value("w")));
  EXPECT_TRUE(aliases.mayAlias(value("p"), value("q")));
  EXPECT_FALSE(aliases.mayAlias(x, value("p")));
}

TEST_F(GraphTest, CopiesAreWhole) {
  Variable &weight = module.addVariable("weight", Two);
  add("Plain", {&x, &graph.useVariable(weight)}, "a");
  Op &b = add("Plain", {&value("a"), &graph.addConstant("c", HostTensor(Two))},
              "b");
  b.placement().ipu = 3;
  b.setInPlace(0);
  graph.addOrder(*graph.ops().front(), b);
  graph.addResult("y", value("b"));
  Graph &copy = module.addGraph("g");
  EXPECT_EQ(copy.name, "g/1");
  cloneInto(graph, copy);
  EXPECT_EQ(verify(module), std::vector<std::string>());
  std::string text = toString(copy);
  text.replace(text.find("g/1"), 3, "g");
  // Values come in the order in which copying meets them.
  EXPECT_NE(text.find("%b: float 2 = Plain-1(%a, %c) {} \"b\" ipu=3 inplace=0 "
                      "after=^0"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("%weight: float 2 = variable @weight"),
            std::string::npos);
}

TEST_F(GraphTest, UnusedValuesGo) {
  graph.addConstant("c", HostTensor(Two));
  Value &kept = graph.addConstant("d", HostTensor(Two));
  graph.useVariable(module.addVariable("v", Two));
  add("Plain", {&kept}, "a");
  EXPECT_EQ(graph.removeUnusedValues(), 2u);
  EXPECT_EQ(graph.findValue("c"), nullptr);
  EXPECT_EQ(graph.findValue("d"), &kept);
  EXPECT_EQ(module.removeUnusedVariables(), 1u);
}

TEST(Elements, TextGivesBackEveryBit) {
  std::mt19937_64 random(11);
  for (int type = 0; type <= static_cast<int>(DataType::Bool); ++type)
    for (int round = 0; round != 20; ++round) {
      Module module;
      Graph &graph = module.addGraph("g");
      HostTensor tensor({static_cast<DataType>(type), {13}});
      for (std::byte &byte : tensor.bytes())
        byte = static_cast<std::byte>(
            tensor.type() == DataType::Bool ? random() % 2 : random());
      const std::vector<std::byte> bytes(tensor.bytes().begin(),
                                         tensor.bytes().end());
      graph.addConstant("c", std::move(tensor));
      for (std::size_t most : {0, 16}) {
        const auto read = parseModule(toString(module, {most, false}), "text");
        const auto found = read->main().findValue("c")->constant()->bytes();
        ASSERT_TRUE(std::ranges::equal(found, bytes)) << toString(module);
      }
    }
}

} // namespace
} // namespace populus::popir::test
