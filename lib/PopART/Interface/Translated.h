// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the compiler as exceptions of the interface.

#ifndef POPULUS_LIB_POPART_INTERFACE_TRANSLATED_H
#define POPULUS_LIB_POPART_INTERFACE_TRANSLATED_H

#include "lib/PopART/Support/Error.h"

#include <popart/error.hpp>

namespace popart::session {

/// Runs `function`; errors of the compiler become those of the interface.
template <class Function> auto translated(Function &&function) {
  using populus::popir::ErrorKind;
  try {
    return function();
  } catch (const populus::popir::Error &failure) {
    if (failure.kind() == ErrorKind::Memory)
      throw memory_allocation_err("{}", failure.what());
    if (failure.kind() == ErrorKind::Internal)
      throw internal_error("{}", failure.what());
    throw error("{}", failure.what());
  }
}

} // namespace popart::session

#endif
