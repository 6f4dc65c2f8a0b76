// The part of the C and C++ standard libraries that codelets use, on every target.
// RUN: popc %s -Werror -o %t.gp
// RUN: ar p %t.gp standard-library.cpp.cpu.o > %t.so
// RUN: python3 %S/Inputs/call.py %t.so check | FileCheck %s
// CHECK: 42

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <math.h>
#include <poplar/Vertex.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

extern "C" int check() {
  std::array<int, 4> values = {4, 3, 2, 1};
  std::reverse(values.begin(), values.end());
  auto [low, high] = std::minmax({values[3], values[0]});
  std::tuple<int, float> both(low, std::sqrt(16.0f));
  static_assert(std::is_same_v<std::uint32_t, unsigned>);
  static_assert(std::numeric_limits<float>::max() > 1e38f);
  char text[8];
  std::memset(text, 0, sizeof(text));
  std::memcpy(text, "12", 3);
  assert(high == 4);
  return std::get<0>(both) + int(std::get<1>(both)) + high +
         int(std::strlen(text)) + std::clamp(50, 0, 31);
}
