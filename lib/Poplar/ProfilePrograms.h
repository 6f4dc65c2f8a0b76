// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that a graph profile and an execution profile must agree on:
// which host exchange a step is, and what programs and memory are called.

#ifndef POPULUS_LIB_POPLAR_PROFILEPROGRAMS_H
#define POPULUS_LIB_POPLAR_PROFILEPROGRAMS_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <vector>

namespace poplar::core {

/// The user guide's name for a kind of program.
const char *programType(const populus::runtime::Step &step);

/// Steps that transfer between host and tiles; the place in the list is the
/// number of the host exchange.
std::vector<std::uint32_t>
hostExchangeSteps(const populus::runtime::Executable &executable);

/// The user guide's name of what memory is for.
const char *profileName(populus::runtime::MemoryCategory category);

} // namespace poplar::core

#endif
