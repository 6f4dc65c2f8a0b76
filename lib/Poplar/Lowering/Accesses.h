// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that each step of the control program reads and writes.

#ifndef POPULUS_LIB_POPLAR_LOWERING_ACCESSES_H
#define POPULUS_LIB_POPLAR_LOWERING_ACCESSES_H

#include "lib/Poplar/Lowering/Draft.h"

#include <cstdint>
#include <span>
#include <vector>

namespace poplar::core {

/// Access of a step to a block: it reads part of the block, or writes the bytes
/// [begin, end). A write with gaps counts as a write of no bytes, because it
/// leaves an unknown part unchanged.
struct Access {
  std::uint32_t block = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool reads = false;
};

class Accesses {
public:
  /// Collects accesses to the blocks whose entry in `wanted` is true.
  Accesses(const Draft &draft, const std::vector<bool> &wanted);

  std::span<const Access> of(std::uint32_t step) const {
    return std::span(all).subspan(first[step], first[step + 1] - first[step]);
  }

private:
  void addStep(const Draft &draft, std::uint32_t step);
  void add(std::uint32_t block, std::uint32_t begin, std::uint32_t bytes,
           bool reads);
  void finishStep();

  const std::vector<bool> &wanted;
  std::vector<Access> all;
  std::vector<std::size_t> first; // by step, and the end
  /// For the current step: a block's entry in `all`, and the bytes written.
  std::vector<std::uint32_t> entryOf;
  std::vector<std::uint64_t> written; // parallel to the step's entries
};

/// For each block: do copies of the program write to it, and does anything
/// else?
struct Writers {
  std::vector<bool> copies, others;
};
Writers findWriters(const Draft &draft);

} // namespace poplar::core

#endif
