// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs random plans under random bounds of memory (test/unit/PopLibs/
// RandomPlans.h) and tells which are wrong or take more than they said.
//
// usage: RandomPlans FIRST_SEED COUNT

#include "test/unit/PopLibs/RandomPlans.h"

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: RandomPlans FIRST_SEED COUNT\n");
    return 2;
  }
  const auto first = static_cast<unsigned>(std::stoul(argv[1]));
  const auto count = static_cast<unsigned>(std::stoul(argv[2]));
  unsigned wrong = 0, over = 0, bounded = 0, inSteps = 0, inParts = 0, near = 0;
  for (unsigned seed = first; seed != first + count; ++seed) {
    test::PlanOutcome o;
    try {
      o = test::RandomPlan(seed).run();
    } catch (const std::exception &error) {
      std::printf("seed %u: %s\n", seed, error.what());
      ++wrong;
      continue;
    }
    wrong += !o.right;
    over += !o.keepsWord();
    bounded += o.isBounded();
    inSteps += o.steps != 1;
    inParts += o.parts != 1;
    near += std::abs(o.used - o.planned) <= 0.1 * o.planned;
    if (!o.right || !o.keepsWord() || std::getenv("RANDOM_PLANS_ALL"))
      std::printf("seed %u: %s: %s, bound %.0f, planned %.0f, used %.0f, "
                  "%zu steps, %zu parts\n",
                  seed, o.description.c_str(), o.right ? "right" : "WRONG",
                  o.bound, o.planned, o.used, o.steps, o.parts);
  }
  std::printf(
      "%u plans: %u wrong, %u over their estimate by more than 10%%; %u "
      "keep to the bound, %u have steps, %u parts, %u are within 10%% of "
      "their estimate\n",
      count, wrong, over, bounded, inSteps, inParts, near);
  return wrong + over != 0;
}
