// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The helpers of poplar_test/Util.hpp by the name that tests of libraries use.

#ifndef POPULUS_POPLIBS_TEST_UTIL_HPP
#define POPULUS_POPLIBS_TEST_UTIL_HPP

#include <poplar_test/Util.hpp>

namespace poplibs_test {
namespace util {

using namespace poplar_test;

} // namespace util
} // namespace poplibs_test

#endif
