// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reduction of several numbers to one: losses of a batch, gradients of
// micro-batches.

#ifndef POPULUS_INCLUDE_POPART_REDUCTIONTYPE_HPP
#define POPULUS_INCLUDE_POPART_REDUCTIONTYPE_HPP

namespace popart {

enum class ReductionType { Mean = 0, Sum, NoReduction };

} // namespace popart

#endif
