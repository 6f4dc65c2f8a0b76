// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every test program runs interpreted and translated, with the same results,
// cycles and faults.

#include "Assembler.h"

#include <gtest/gtest.h>

namespace populus::runtime::test {

Outcome run(const Executable &executable, SessionOptions options) {
  options.engine = Engine::Interpreter;
  const Outcome outcome = runOnce(executable, options);
  options.engine = Engine::Translated;
  const Outcome translated = runOnce(executable, options);
  EXPECT_EQ(translated.engine, "translated");
  EXPECT_EQ(translated.results, outcome.results);
  EXPECT_EQ(translated.cycles, outcome.cycles);
  EXPECT_EQ(translated.bundles, outcome.bundles);
  EXPECT_EQ(translated.fault, outcome.fault);
  return outcome;
}

Outcome runWorkerCode(const Assembler &body) {
  Assembler code;
  code("LD32_m_bdi", {0, 13, 15, 0});
  for (std::uint32_t word : body.words)
    code.word(word);
  code("EXITZ", {15});
  return run(oneVertex(code));
}

} // namespace populus::runtime::test
