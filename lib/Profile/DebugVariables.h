// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata of an executable that says where variables are, for debuggers: a
// JSON array of objects with name, type, shape and homes, a list of [elements,
// tile, address, is the memory shared] in the order of elements.

#ifndef POPULUS_LIB_PROFILE_DEBUGVARIABLES_H
#define POPULUS_LIB_PROFILE_DEBUGVARIABLES_H

namespace populus::profile {

inline constexpr char DebugVariablesKey[] = "variables";

} // namespace populus::profile

#endif
