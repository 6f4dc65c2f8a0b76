// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access for libraries to what poplar::Engine knows of its runs.

#ifndef POPULUS_LIB_POPLAR_ENGINE_ENGINEACCESS_H
#define POPULUS_LIB_POPLAR_ENGINE_ENGINEACCESS_H

#include <poplar/Engine.hpp>

#include <cstdint>

namespace populus {

/// Returns the cycles of all runs since the program was loaded, by the IPU that
/// took longest: a profile would have to be built to know them. 0 on the CPU.
std::uint64_t clockOf(const poplar::Engine &engine);

} // namespace populus

#endif
