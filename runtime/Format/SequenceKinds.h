// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of sequences: Step::index of StepKind::Sequence. They run alike;
// only profiles tell them apart. Stored in files: append, never renumber.

#ifndef POPULUS_RUNTIME_FORMAT_SEQUENCEKINDS_H
#define POPULUS_RUNTIME_FORMAT_SEQUENCEKINDS_H

#include <cstdint>

namespace populus::runtime {

enum class SequenceKind : std::uint32_t {
  Plain = 0,
  Block = 1,      // of a name that reports list
  WriteUndef = 2, // without children: it ends the liveness of a tensor
  Count = 3,
};

/// Returns true if the index of a sequence, in reports too, is that kind.
constexpr bool isKind(std::uint32_t index, SequenceKind kind) {
  return index == static_cast<std::uint32_t>(kind);
}

} // namespace populus::runtime

#endif
