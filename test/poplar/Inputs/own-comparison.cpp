// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparison that a library's tests declare: a call of it is not ambiguous,
// because poplar_test has none of this name.

#include <poplar_test/Util.hpp>

namespace poplibs_test {
namespace util {
template <typename T>
bool checkIsClose(const std::string &, const T *,
                  const std::vector<std::size_t> &, const T *, std::size_t,
                  double, double = 0);
} // namespace util
} // namespace poplibs_test

using namespace poplar_test;
using namespace poplibs_test::util;

bool isClose(const double *a, const double *b) {
  return checkIsClose("x", a, std::vector<std::size_t>{4}, b, 4, 1e-3, 1e-3);
}
