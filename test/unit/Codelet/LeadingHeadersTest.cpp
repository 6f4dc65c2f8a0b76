// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lines at the start of a source are taken as its leading headers.

#include "lib/Frontend/LeadingHeaders.h"

#include <gtest/gtest.h>

using populus::frontend::leadingHeaders;

namespace {

using Names = std::vector<std::string>;

TEST(LeadingHeaders, EndAtTheFirstOtherLine) {
  EXPECT_EQ(leadingHeaders("#include <a>\n#include <b.h>\nint x;\n"
                           "#include <c>\n"),
            Names({"a", "b.h"}));
  EXPECT_EQ(leadingHeaders("#define A\n#include <a>\n"), Names());
  EXPECT_EQ(leadingHeaders("#include <a>\n#include \"b.h\"\n#include <c>\n"),
            Names({"a"}));
  EXPECT_EQ(leadingHeaders("#include <a>\n#ifdef X\n#include <b>\n#endif\n"),
            Names({"a"}));
  EXPECT_EQ(leadingHeaders("#pragma once\n#include <a>\n"), Names());
}

TEST(LeadingHeaders, MayHaveBlanksAndCommentsBetweenThem) {
  EXPECT_EQ(leadingHeaders("// one\n\n/* two\n lines */\n  # include  <a>\r\n"
                           "#include<b> // why\n"),
            Names({"a", "b"}));
  EXPECT_EQ(leadingHeaders(""), Names());
  EXPECT_EQ(leadingHeaders("#include <a>"), Names({"a"}));
}

TEST(LeadingHeaders, DoNotContainWhatIsNotPlain) {
  // A continued comment swallows the next line.
  EXPECT_EQ(leadingHeaders("// one \\\n#include <a>\n"), Names());
  EXPECT_EQ(leadingHeaders("#include <a> // x \\\n#include <b>\n"), Names());
  EXPECT_EQ(leadingHeaders("#include <a> /* x */\n"), Names());
  EXPECT_EQ(leadingHeaders("/* x */ #include <a>\n"), Names());
  EXPECT_EQ(leadingHeaders("/* no end\n#include <a>\n"), Names());
  EXPECT_EQ(leadingHeaders("#include <a\n"), Names());
  EXPECT_EQ(leadingHeaders("#include MACRO\n"), Names());
  EXPECT_EQ(leadingHeaders("#include_next <a>\n"), Names());
  EXPECT_EQ(leadingHeaders("#include \\\n<a>\n"), Names());
}

} // namespace
