// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scanner of a source's beginning, up to its first declaration: finds the
// library's headers and the macros beside them.

#include "lib/Frontend/LeadingHeaders.h"

#include "runtime/Target/TargetInfo.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace populus;
using frontend::LeadingStep;

namespace populus::frontend {
void PrintTo(const LeadingStep &step, std::ostream *out) {
  const char *const Kinds[] = {"includes ", "defines ", "uses "};
  *out << Kinds[step.kind] << step.name;
}
} // namespace populus::frontend

namespace {

using Steps = std::vector<LeadingStep>;

LeadingStep includes(const char *name) { return {LeadingStep::Includes, name}; }
LeadingStep defines(const char *name) {
  return {LeadingStep::DefinesMacro, name};
}
LeadingStep uses(const char *name) { return {LeadingStep::UsesMacro, name}; }

Steps stepsOf(const char *source) {
  frontend::CompileJob job;
  job.target = runtime::findTarget("cpu");
  job.arguments = {"-nostdsysteminc", "-x", "c++", "-"};
  job.input = "source.cpp";
  job.text = source;
  return leadingSteps(job);
}

TEST(LeadingHeaders, EndAtTheFirstDeclaration) {
  EXPECT_EQ(stepsOf("#include <a>\n#include \"b.h\"\nint x;\n#include <c>\n"),
            Steps({includes("a"), includes("b.h")}));
  EXPECT_EQ(stepsOf("// one\n\n/* two\n lines */ # include  <a>\r\n"
                    "#include\\\n<b> // why\n#include <c>"),
            Steps({includes("a"), includes("b"), includes("c")}));
  EXPECT_EQ(stepsOf("// one \\\n#include <a>\n"), Steps());
  EXPECT_EQ(stepsOf(""), Steps());
}

TEST(LeadingHeaders, ComeWithMacros) {
  EXPECT_EQ(stepsOf("#define A 1\n#undef B\n#include <a>\n"),
            Steps({defines("A"), defines("B"), includes("a")}));
  EXPECT_EQ(stepsOf("#define A <a>\n#include A\n"),
            Steps({defines("A"), uses("A"), includes("a")}));
}

TEST(LeadingHeaders, StandInConditions) {
  EXPECT_EQ(stepsOf("#ifdef A\n#include <a>\n#else\n#include <b>\n#endif\n"),
            Steps({uses("A"), includes("b")}));
  // A word that is no macro is asked for as well.
  EXPECT_EQ(stepsOf("#ifndef A\n#include <a>\n#endif\n"
                    "#if B > 1\n#elif defined(C)\n#else\n#include <c>\n"
                    "#endif\n"),
            Steps({uses("A"), includes("a"), uses("B"), uses("1"),
                   uses("defined"), uses("C"), includes("c")}));
}

TEST(LeadingHeaders, EndWhereOrderMatters) {
  for (const char *line :
       {"#pragma pack(1)", "#error no", "#include_next <a>",
        "_Pragma(\"once\")", "#if __has_include(<a>)\n#endif", "#include MACRO",
        "#include <a"}) {
    Steps steps = stepsOf(
        (std::string("#include <first>\n") + line + "\n#include <last>\n")
            .c_str());
    EXPECT_EQ(std::ranges::count(steps, includes("last")), 0) << line;
    EXPECT_EQ(std::ranges::count(steps, includes("first")), 1) << line;
  }
  EXPECT_EQ(stepsOf("#pragma once\n#pragma clang diagnostic push\n"
                    "#include <a>\n"),
            Steps({includes("a")}));
}

} // namespace
