// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of tiles for devices of tests: an IPU Model of few tiles compiles
// quickly.

#ifndef POPULUS_INCLUDE_POPART_DEFAULTTILECOUNT_HPP
#define POPULUS_INCLUDE_POPART_DEFAULTTILECOUNT_HPP

#include <string>

namespace popart {

constexpr int defaultFewTiles = 4;
constexpr int defaultManyTiles = 1216;

} // namespace popart

#endif
