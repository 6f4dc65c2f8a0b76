// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typical uses of the optional of popart/vendored.

#include <popart/commgroup.hpp>
#include <popart/vendored/optional.hpp>

#include <iostream>
#include <string>

using nonstd::optional;

static int failed = 0;

static void expect(bool holds, const char *what) {
  if (!holds)
    std::cout << "wrong: " << what << "\n";
  failed += !holds;
}
#define EXPECT(CONDITION) expect(CONDITION, #CONDITION)

int main() {
  optional<std::string> a("text"), b, c = a;
  EXPECT(a == c && a != b && b < a && !b && b == nonstd::nullopt);
  b = std::string("x");
  b = c;
  EXPECT(*b == "text" && b->size() == 4 && b.value() == "text");
  b = nonstd::nullopt;
  EXPECT(!b.has_value() && b.value_or("other") == "other");
  a.emplace(3u, 'q');
  EXPECT(a == std::string("qqq"));
  optional<std::string> moved = std::move(a);
  EXPECT(moved.value_or("") == "qqq");
  moved = {};
  EXPECT(!moved);
  bool isRefused = false;
  try {
    b.value();
  } catch (const nonstd::bad_optional_access &) {
    isRefused = true;
  }
  EXPECT(isRefused);
  std::cout << popart::CommGroup(popart::CommGroupType::Orthogonal, 2) << "\n";
  return failed;
}
