// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choice between keeping an operator's results for the backward pass and
// computing them again.

#ifndef POPULUS_INCLUDE_POPART_RECOMPUTETYPE_HPP
#define POPULUS_INCLUDE_POPART_RECOMPUTETYPE_HPP

namespace popart {

enum class RecomputeType { Undefined = 0, Checkpoint, Recompute, Recomputed };

} // namespace popart

#endif
