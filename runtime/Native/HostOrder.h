// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether the functions of a shared object with host code can run at
// the same time.

#ifndef POPULUS_RUNTIME_NATIVE_HOSTORDER_H
#define POPULUS_RUNTIME_NATIVE_HOSTORDER_H

#include <cstdint>
#include <span>

namespace populus::runtime {

/// Returns whether the object's vertices have to run one after the other. They
/// do if it can write text or draw the C library's random numbers, whose order
/// would depend on chance, or if it has variables of its own, which several
/// vertices may change. Returns true for an object that cannot be read.
bool needsOrder(std::span<const std::uint8_t> object);

} // namespace populus::runtime

#endif
