// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Identifiers of classes of gradient operators. The compiler has the gradients
// themselves as other operators.

#ifndef POPULUS_INCLUDE_POPART_GRADOPERATORS_HPP
#define POPULUS_INCLUDE_POPART_GRADOPERATORS_HPP

#include <popart/operatoridentifier.hpp>

namespace popart {
namespace Onnx {
namespace GradOperators {

static const OperatorIdentifier IdentityGrad(Domain::ai_graphcore,
                                             "IdentityGrad", 1);

} // namespace GradOperators
} // namespace Onnx
} // namespace popart

#endif
