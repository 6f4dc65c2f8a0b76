// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a trace, its filters, and breakpoints.

#include "Assembler.h"

#include "runtime/Session/FaultReport.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

Executable loopProgram() {
  Assembler code;
  code("SETZI_m", {1, 1}); // 0x4c000
  const std::int64_t loop = code.hereWord();
  code.bundle("SETZI_m", {2, 7}, "SETZI_a", {3, 8});
  code("BRNZDEC", {1, loop})("EXITZ", {15});
  return oneVertex(code);
}

std::string traceOf(const Executable &exe, TraceOptions trace = {}) {
  std::ostringstream out;
  SessionOptions options;
  options.watch.trace = trace;
  options.watch.trace.out = &out;
  Session::create(std::make_shared<Executable>(exe), options)->run(0);
  return out.str();
}

TEST(TraceTest, ALineForEachInstructionAndBundle) {
  const std::string text = traceOf(loopProgram());
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line.substr(0, 19), "t[0.0]: 0x4c000 (0x") << line;
  EXPECT_NE(line.find("): entry + 0x0: setzi $m1, 1 @"), std::string::npos)
      << line;
  std::getline(lines, line);
  EXPECT_NE(line.find("entry + 0x4: { setzi $m2, 7; setzi $a3, 8 } @"),
            std::string::npos)
      << line;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
}

TEST(TraceTest, Filters) {
  const Executable exe = loopProgram();
  EXPECT_EQ(traceOf(exe, {nullptr, {{1, 9}}, {}, {}}), "");
  EXPECT_EQ(traceOf(exe, {nullptr, {}, {{1, 6}}, {}}), "");
  EXPECT_EQ(traceOf(exe, {nullptr, {{0, 0}}, {{0, 0}}, {}}), traceOf(exe));
  const std::string some = traceOf(exe, {nullptr, {}, {}, {{12, 24}}});
  EXPECT_EQ(std::count(some.begin(), some.end(), '\n'), 2) << some;
}

TEST(TraceTest, TheResultsAreTheSame) {
  std::ostringstream out;
  SessionOptions options;
  options.watch.trace.out = &out;
  const Outcome traced = run(loopProgram(), options);
  const Outcome plain = run(loopProgram());
  EXPECT_EQ(traced.cycles, plain.cycles);
  EXPECT_EQ(traced.bundles, plain.bundles);
}

std::string stopOf(const std::string &place) {
  SessionOptions options;
  options.watch.breakpoints = {place};
  try {
    auto session =
        Session::create(std::make_shared<Executable>(loopProgram()), options);
    session->run(0);
  } catch (const FaultError &error) {
    EXPECT_TRUE(error.isBreakpoint());
    return error.what();
  } catch (const RunError &error) {
    return error.what();
  }
  return "";
}

TEST(TraceTest, Breakpoints) {
  EXPECT_NE(stopOf("entry").find("breakpoint at pc 0x4c000"),
            std::string::npos);
  EXPECT_NE(stopOf("0x4c00c").find("breakpoint at pc 0x4c00c"),
            std::string::npos);
  for (const char *place : {"0x4d000", "0x4c002"}) // behind the code, between
    EXPECT_NE(stopOf(place).find("there is no instruction at"),
              std::string::npos);
  EXPECT_NE(stopOf("nothing").find("there is no symbol 'nothing'"),
            std::string::npos);
}

} // namespace
