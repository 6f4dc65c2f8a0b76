// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operators can ask about the model that they are part of.

#ifndef POPULUS_INCLUDE_POPART_IR_HPP
#define POPULUS_INCLUDE_POPART_IR_HPP

#include <popart/sessionoptions.hpp>

#include <cstdint>

namespace popart {

class Ir {
public:
  const SessionOptions &getSessionOptions() const { return options; }
  SessionOptions &getSessionOptions() { return options; }

private:
  SessionOptions options;
};

} // namespace popart

#endif
