// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory in which a function buffer keeps code.

#ifndef POPULUS_INCLUDE_POPLAR_FUNCTIONBUFFERMAPPINGTYPE_HPP
#define POPULUS_INCLUDE_POPLAR_FUNCTIONBUFFERMAPPINGTYPE_HPP

namespace poplar {

enum class FunctionBufferMappingType { REMOTE };

} // namespace poplar

#endif
