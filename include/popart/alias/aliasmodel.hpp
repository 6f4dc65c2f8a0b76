// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For operators that describe how their results lie in the memory of operands.
// The compiler takes any result for a possible view of any operand, so what is
// said here changes nothing.

#ifndef POPULUS_INCLUDE_POPART_ALIAS_ALIASMODEL_HPP
#define POPULUS_INCLUDE_POPART_ALIAS_ALIASMODEL_HPP

namespace popart {

class AliasModel {};

} // namespace popart

#endif
