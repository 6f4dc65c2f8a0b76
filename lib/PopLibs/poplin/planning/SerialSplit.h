// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution or a product as several ones of the same size, one after the
// other, so that they have their operands' copies and partial sums in the same
// memory.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_SERIALSPLIT_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_SERIALSPLIT_H

#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace poplin {

/// Rows of a product are its batch, columns its output channels.
struct SerialSplit {
  enum Dim { Batch, Groups, OutChannels } dim = Batch;
  std::size_t parts = 1;
};

/// Splits worth a try, those of one dimension by their number of parts.
std::vector<SerialSplit> serialSplits(SerialSplit::Dim dim, std::size_t extent);

/// The plan of one part.
template <typename Plan> Plan planOfPart(Plan plan) {
  plan.serial = {};
  return plan;
}

/// In place of a dimension: an operand that every part uses as a whole.
constexpr unsigned Whole = ~0u;

/// Part \p part of an operand of which \p dim is divided.
poplar::Tensor partOf(const poplar::Tensor &t, unsigned dim, std::size_t part,
                      std::size_t parts);

} // namespace poplin

#endif
