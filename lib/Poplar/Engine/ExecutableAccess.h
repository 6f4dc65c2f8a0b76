// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access for libraries to the runtime's executable in a poplar::Executable, to
// write it to a file or to add tensor and stream shapes that only they know.

#ifndef POPULUS_LIB_POPLAR_ENGINE_EXECUTABLEACCESS_H
#define POPULUS_LIB_POPLAR_ENGINE_EXECUTABLEACCESS_H

#include "runtime/Format/Executable.h"

#include <poplar/Executable.hpp>

namespace populus {

/// Throws poplar_error for an executable that was never assigned.
runtime::Executable &access(poplar::Executable &executable);
const runtime::Executable &access(const poplar::Executable &executable);

} // namespace populus

#endif
