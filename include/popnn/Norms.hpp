// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parameters of normalisations; see poplin/Norms.hpp for their parts.

#ifndef POPULUS_POPNN_NORMS_HPP
#define POPULUS_POPNN_NORMS_HPP

#include <poplin/Norms.hpp>

namespace popnn {

using poplin::createNormBeta;
using poplin::createNormGamma;
using poplin::createNormParams;

} // namespace popnn

#endif
