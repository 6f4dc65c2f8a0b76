// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links host code of codelets into a shared object, with LLVM's linker in
// process: no linker need be installed.

#ifndef POPULUS_LIB_FRONTEND_HOSTLINKER_H
#define POPULUS_LIB_FRONTEND_HOSTLINKER_H

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace populus::frontend {

/// Returns an error message, empty for success.
std::string linkHostObject(std::span<const std::uint8_t> object,
                           std::vector<std::uint8_t> &sharedObject);

} // namespace populus::frontend

#endif
