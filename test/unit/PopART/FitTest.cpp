// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fallbacks for programs that do not fit, and the lower bound of memory.

#include "lib/PopART/Fit.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/IR/Text.h"
#include "lib/PopART/Lowering/LeastMemory.h"

#include <gtest/gtest.h>

using namespace populus::popir;

namespace {

std::vector<std::string> texts(const std::vector<FitChoice> &choices) {
  std::vector<std::string> result;
  for (const FitChoice &choice : choices)
    result.push_back(choice.text());
  return result;
}

using Texts = std::vector<std::string>;

TEST(Fit, NothingIsTriedUnlessAskedFor) {
  EXPECT_TRUE(fitChoices({}, true, 1, 1).empty());
}

TEST(Fit, LessMemoryThenMoreIpus) {
  const Texts tried = texts(fitChoices({.searches = true}, false, 1, 1));
  ASSERT_GE(tried.size(), 5u);
  EXPECT_EQ(Texts(tried.begin(), tried.begin() + 5),
            Texts({"--available-memory 0.1", "--available-memory 0.03",
                   "--num-ipus 2", "--available-memory 0.1 --num-ipus 2",
                   "--available-memory 0.03 --num-ipus 2"}));
  EXPECT_EQ(tried.back(), "--available-memory 0.03 --num-ipus 16");
}

TEST(Fit, TrainingIsRecomputed) {
  const Texts tried =
      texts(fitChoices({.searches = true, .numIpus = false}, true, 1, 1));
  EXPECT_EQ(tried, Texts({"--available-memory 0.1",
                          "--available-memory 0.1 --recompute standard",
                          "--available-memory 0.1 --recompute all",
                          "--available-memory 0.03 --recompute all"}));
}

TEST(Fit, WhatIsGivenStays) {
  FitOptions options{.searches = true};
  options.availableMemory = options.recomputation = false;
  EXPECT_EQ(
      texts(fitChoices(options, true, 1, 1)),
      Texts({"--num-ipus 2", "--num-ipus 4", "--num-ipus 8", "--num-ipus 16"}));
  options.numIpus = false;
  EXPECT_TRUE(fitChoices(options, true, 4, 1).empty());
}

TEST(Fit, FewerIpusThanNeededAreNotTried) {
  const Texts tried = texts(fitChoices({.searches = true}, false, 1, 3));
  EXPECT_EQ(tried.front(), "--num-ipus 4");
  EXPECT_TRUE(
      fitChoices({.searches = true, .numIpus = false}, false, 1, 3).empty());
}

/// The lower bound of a module given as text.
LeastMemory least(const std::string &text) {
  const std::unique_ptr<Module> module = parseModule(text, "test");
  LeastMemory result = leastMemory(*module);
  result.where = nullptr; // which ends with the module
  result.largest = nullptr;
  return result;
}

TEST(LeastMemory, ValuesLiveUntilTheirLastReader) {
  const LeastMemory result = least(R"(
graph main(%x: float 1000) {
  %w: float 2 = constant [1.0, 2.0]
  %a: float 1000 = Exp-13(%x) {}
  %b: float 1000 = Exp-13(%a) {}
  %c: float 1000 = Add-14(%b, %x) {}
  %m: float 500x2 = Reshape-14(%c) {shape=[500, 2]}
  %d: float 500x2 = Add-14(%m, %w) {}
  return d = %d: float 500x2
}
program step = @main
)");
  EXPECT_EQ(result.weights, 8);
  // The input and one more; what dies at an operator makes room for its result.
  EXPECT_EQ(result.live, 8000);
  EXPECT_EQ(result.largestLive, 4000);
  EXPECT_EQ(result.total(), 8008);
}

TEST(LeastMemory, ViewsKeepWhatTheyView) {
  const LeastMemory result = least(R"(
graph main(%x: float16 1000) {
  %a: float16 1000 = Exp-13(%x) {}
  %m: float16 500x2 = Reshape-14(%a) {shape=[500, 2]}
  %b: float16 1000 = Exp-13(%x) {}
  %c: float16 1000 = Exp-13(%x) {}
  %n: float16 500x2 = Reshape-14(%b) {shape=[500, 2]}
  %d: float16 500x2 = Add-14(%m, %n) {}
  %e: float16 500x2 = Reshape-14(%c) {shape=[500, 2]}
  %f: float16 500x2 = Add-14(%d, %e) {}
  return f = %f: float16 500x2
}
program step = @main
)");
  // a, b and c; x makes room for c.
  EXPECT_EQ(result.live, 6000);
}

TEST(LeastMemory, FunctionsHaveTheirOwnValues) {
  const LeastMemory result = least(R"(
graph function(%x: float 1000) {
  %a: float 1000 = Exp-13(%x) {}
  %b: float 1000 = Exp-13(%x) {}
  %c: float 1000 = Add-14(%a, %b) {}
  return c = %c: float 1000
}
graph main(%x: float 1000) {
  %y: float 1000 = ai.graphcore.Call-1 @function(%x) {}
  %z: float 1000 = Add-14(%y, %x) {}
  return z = %z: float 1000
}
program step = @main
)");
  // x, and in the function a and b.
  EXPECT_EQ(result.live, 12000);
}

} // namespace
