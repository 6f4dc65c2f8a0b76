// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interface in which operators describe aliases between results and operands.
// The compiler assumes that any result may alias any operand, so these
// descriptions have no effect.

#ifndef POPULUS_INCLUDE_POPART_ALIAS_ALIASMODEL_HPP
#define POPULUS_INCLUDE_POPART_ALIAS_ALIASMODEL_HPP

namespace popart {

class AliasModel {};

} // namespace popart

#endif
