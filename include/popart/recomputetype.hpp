// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether an operator's results are kept for the backward pass.

#ifndef POPULUS_INCLUDE_POPART_RECOMPUTETYPE_HPP
#define POPULUS_INCLUDE_POPART_RECOMPUTETYPE_HPP

namespace popart {

enum class RecomputeType { Undefined = 0, Checkpoint, Recompute, Recomputed };

} // namespace popart

#endif
