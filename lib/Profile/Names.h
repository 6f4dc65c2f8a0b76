// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user guide calls kinds of programs and of memory.

#ifndef POPULUS_LIB_PROFILE_NAMES_H
#define POPULUS_LIB_PROFILE_NAMES_H

#include "runtime/Format/Executable.h"

namespace populus::profile {

const char *programType(runtime::StepKind kind);
const char *categoryName(runtime::MemoryCategory category);
/// The words that are printed for it: "Vertex Code".
const char *categoryLabel(runtime::MemoryCategory category);

} // namespace populus::profile

#endif
