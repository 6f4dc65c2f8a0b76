// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the functions of a shared object with host code can run at the same
// time.

#ifndef POPULUS_RUNTIME_NATIVE_HOSTORDER_H
#define POPULUS_RUNTIME_NATIVE_HOSTORDER_H

#include <cstdint>
#include <span>

namespace populus::runtime {

/// Whether its vertices have to run one after the other: it can write text or
/// draw the C library's random numbers, which would come in an order that
/// depends on chance, or it has variables of its own, which several of them may
/// change. True of an object that cannot be read.
bool needsOrder(std::span<const std::uint8_t> object);

} // namespace populus::runtime

#endif
