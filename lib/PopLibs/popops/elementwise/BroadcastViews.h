// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of the operands of an elementwise operation in the order of the
// result's memory. An operand that repeats each element for a long run of the
// result need not be expanded.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_BROADCASTVIEWS_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_BROADCASTVIEWS_H

#include <poplar/Tensor.hpp>

#include <vector>

namespace popops {

/// Minimum length of a run; shorter ones are cheaper expanded.
constexpr std::size_t MinRun = 4;

/// Number of consecutive elements of the result, of \p shape, with the same
/// element of \p t.
std::size_t runLength(const poplar::Tensor &t,
                      const std::vector<std::size_t> &shape);

/// An operand whose every element is repeated `run` times in the result.
struct RepeatedOperand {
  poplar::Tensor flat;
  std::size_t run;
};

/// Broadcasts all dimensions except those that runs stand for.
RepeatedOperand repeatedOperand(const poplar::Tensor &t,
                                const std::vector<std::size_t> &shape);

/// Reorders the dimensions of a result and its operands by the result's memory,
/// so that elements which follow each other there do so in the views.
class ByMemory {
public:
  explicit ByMemory(const poplar::Tensor &out);
  poplar::Tensor operator()(const poplar::Tensor &t) const;

private:
  std::vector<unsigned> order;
};

} // namespace popops

#endif
