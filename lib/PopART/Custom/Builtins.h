// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built-in operators in the public interface (popart/op/builtin.hpp).

#ifndef POPULUS_LIB_POPART_CUSTOM_BUILTINS_H
#define POPULUS_LIB_POPART_CUSTOM_BUILTINS_H

#include "lib/PopART/IR/Op.h"

#include <popart/op/builtin.hpp>

namespace populus::popir {

/// Converts identifiers between the compiler and the public interface.
popart::OperatorIdentifier toPublic(const OperatorId &id);
OperatorId fromPublic(const popart::OperatorIdentifier &id);

/// Numbers of operands and results.
struct Edges {
  std::size_t inputs = 0, outputs = 0;
};
/// The edges that an operator has.
Edges edgesOf(const popart::Op &op);

/// The public proxy of an operator of the compiler, of the class that programs
/// expect.
std::unique_ptr<popart::Op> makeStandIn(const popart::OperatorIdentifier &id,
                                        const popart::Op::Settings &settings,
                                        const popart::Attributes &attributes);

/// The compiler's operator for a proxy, without edges; null if it has none.
std::unique_ptr<Op> makeFromStandIn(const popart::BuiltinOp &op,
                                    const Edges &edges);

} // namespace populus::popir

#endif
