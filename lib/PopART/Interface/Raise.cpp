// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that knows both sides' names for a fault.

#include "lib/PopART/Interface/Raise.h"

#include <popart/error.hpp>

namespace popart::session {

void raise(Fault fault, const std::string &text) {
  switch (fault) {
  case Fault::Memory:
    throw memory_allocation_err("{}", text);
  case Fault::Internal:
    throw internal_error("{}", text);
  case Fault::Model:
    break;
  }
  throw error("{}", text);
}

} // namespace popart::session
