// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the libraries above: the runtime's executable inside a
// poplar::Executable, to be written to a file or given tensor and stream shapes
// that only they know.

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
