// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard library headers that come with the headers of tensors, targets and
// reports. Public programs use them without including them. docs/poplar.md
// lists the headers.

#ifndef POPULUS_INCLUDE_POPLAR_STANDARDLIBRARY_HPP
#define POPULUS_INCLUDE_POPLAR_STANDARDLIBRARY_HPP

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#if __cplusplus >= 201703L
#include <optional>
#include <string_view>
#include <variant>
#endif

#endif
