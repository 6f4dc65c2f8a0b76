// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes that lowering could make, each of them in many places of a program,
// and a program in which they matter: with operands that stay where they are
// and those that are gathered, broadcasts, copies that are not made, constants
// that are equal and such that are not, memory that is shared, data that the
// host writes between runs, loops, branches and functions. PoplarTests plants
// all of them in a few places; utils/bench/plant-mistakes in all places, and
// runs what comes out.

#ifndef POPULUS_TEST_UNIT_POPLAR_MISTAKES_H
#define POPULUS_TEST_UNIT_POPLAR_MISTAKES_H

#include "lib/Poplar/Lowering/Draft.h"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <memory>
#include <span>

struct Mistake {
  const char *name;
  /// In how many places of a draft it can be made.
  std::size_t (*count)(const poplar::core::Draft &);
  /// Makes it in one of them. False: there it would be none.
  bool (*plant)(poplar::core::Draft &, std::size_t place);
};

std::span<const Mistake> allMistakes();

/// The program. Its graph has the vertex types Sum, SumEach, Copy and Negate
/// (like Copy, with another result).
class MistakeProgram {
public:
  static constexpr unsigned Tiles = 4;

  /// `graph` is for a device of this many tiles.
  explicit MistakeProgram(poplar::Graph &graph);

  poplar::program::Program program;
};

#endif
