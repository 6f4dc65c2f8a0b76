// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Boost.Test that <poplibs_support/TestDevice.hpp> needs.

#pragma once

namespace boost {
namespace unit_test {

struct MasterSuite {
  int argc = 0;
  char **argv = nullptr;
};

namespace framework {

inline MasterSuite &master_test_suite() {
  static MasterSuite suite;
  return suite;
}

} // namespace framework
} // namespace unit_test
} // namespace boost

#define BOOST_TEST_GLOBAL_FIXTURE(CLASS)                                       \
  static_assert(sizeof(CLASS) != 0, "a fixture is a class")
