// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases of a training step: by the names that differentiation gives, and by
// the graph where passes and users have added operators with other names.

#include "lib/PopART/Lowering/TrainingPhases.h"

#include "lib/PopART/IR/Text.h"

#include "gtest/gtest.h"

#include <string>

namespace populus::popir {
namespace {

/// "name: phase" of each operator of the module, in order.
std::string phasesOf(const std::string &text) {
  const std::unique_ptr<Module> module = parseModule(text, "test");
  const TrainingPhases phases(*module);
  std::string result;
  for (const Graph &graph : module->graphs())
    for (const Op *op : graph.ops())
      result += op->name() + ": " + phases.of(*op) + '\n';
  return result;
}

TEST(TrainingPhases, OperatorsOfPassesAndUsersFollowFromTheGraph) {
  EXPECT_EQ(phasesOf(R"(
variable @w: float 2 = [1.0, 2.0]
graph main(%x: float 2) {
  %w: float 2 = variable @w
  %a: float 2 = Exp-13(%x) {} "a"
  %rate: float 2 = Abs-13(%x) {} "rate"
  %g: float 2 = Mul-14(%a, %x) {} "b/grad/dx"
  %cast: float 2 = Neg-13(%g) {} "cast"
  %h: float 2 = Mul-14(%a, %cast) {} "a/grad"
  %scaled: float 2 = Mul-14(%h, %rate) {} "scaled"
  %old: float 2 = Neg-13(%w) {} "Update_w/decay"
  %new: float 2 = Add-14(%old, %scaled) {} "sum"
  %w2: float 2 = ai.graphcore.CopyVarUpdate-1(%w, %new) {} "write"
}
)"),
            "a: forward\nrate: forward\nb/grad/dx: backward\ncast: backward\n"
            "a/grad: backward\nscaled: update\nUpdate_w/decay: update\n"
            "sum: update\nwrite: update\n");
}

TEST(TrainingPhases, InferenceHasNone) {
  EXPECT_EQ(phasesOf(R"(
variable @w: float 2 = [1.0, 2.0]
graph main(%x: float 2) {
  %w: float 2 = variable @w
  %a: float 2 = Exp-13(%x) {} "gradient/a"
  %w2: float 2 = ai.graphcore.CopyVarUpdate-1(%w, %a) {} "write"
}
)"),
            "gradient/a: \nwrite: \n");
}

} // namespace
} // namespace populus::popir
