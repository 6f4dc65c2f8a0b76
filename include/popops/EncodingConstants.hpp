// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers with a meaning in labels and losses, for host code and codelets.

#ifndef POPULUS_POPOPS_ENCODINGCONSTANTS_HPP
#define POPULUS_POPOPS_ENCODINGCONSTANTS_HPP

/// A label that stands for no class.
#define MASKED_LABEL_CODE 0xFFFFFFFFU

/// Constants added before a logarithm so that the logarithm of zero is finite.
#define EPS_LOG_N_FLOAT (1.17549435e-38F)
#define EPS_LOG_N_HALF (0.000000059605F)

#endif
