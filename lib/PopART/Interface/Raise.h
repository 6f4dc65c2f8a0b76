// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets the compiler's side throw exceptions of the interface.

#ifndef POPULUS_LIB_POPART_INTERFACE_RAISE_H
#define POPULUS_LIB_POPART_INTERFACE_RAISE_H

#include <string>

namespace popart::session {

enum class Fault { Model, Memory, Internal };

[[noreturn]] void raise(Fault fault, const std::string &text);

} // namespace popart::session

#endif
