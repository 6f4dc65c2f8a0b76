// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's own operators as programs see them (popart/op/builtin.hpp).

#ifndef POPULUS_LIB_POPART_CUSTOM_BUILTINS_H
#define POPULUS_LIB_POPART_CUSTOM_BUILTINS_H

#include "lib/PopART/IR/Op.h"

#include <popart/op/builtin.hpp>

namespace populus::popir {

/// As programs name it.
popart::OperatorIdentifier toPublic(const OperatorId &id);
OperatorId fromPublic(const popart::OperatorIdentifier &id);

/// The stand-in for an operator of the compiler, of the class that programs
/// know it by.
std::unique_ptr<popart::Op> makeStandIn(const popart::OperatorIdentifier &id,
                                        const popart::Op::Settings &settings,
                                        const popart::Attributes &attributes);

/// The compiler's operator of an identifier, without edges; null where there is
/// none.
std::unique_ptr<Op> makeFromStandIn(const popart::BuiltinOp &op);

} // namespace populus::popir

#endif
