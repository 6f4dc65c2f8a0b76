// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a shared object with host code takes from the process that loads it.

#ifndef POPULUS_RUNTIME_NATIVE_HOSTIMPORTS_H
#define POPULUS_RUNTIME_NATIVE_HOSTIMPORTS_H

#include <cstdint>
#include <span>

namespace populus::runtime {

/// Whether its code can write text: what several vertices print would then be
/// in an order that depends on chance if they ran at once. True of an object
/// that cannot be read.
bool importsOutput(std::span<const std::uint8_t> object);

} // namespace populus::runtime

#endif
