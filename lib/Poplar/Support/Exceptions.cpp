// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exceptions that carry more than a message.

#include <poplar/exceptions.hpp>

#include <ostream>

namespace poplar {

poplar_error::poplar_error(const std::string &message)
    : std::runtime_error(message), type("poplar_error") {}
poplar_error::poplar_error(const char *message)
    : poplar_error(std::string(message)) {}
poplar_error::poplar_error(const char *type, const std::string &message)
    : std::runtime_error(message), type(type) {}

link_error::link_error(const std::string &message, const std::string &output)
    : poplar_error("link_error", message), output(output) {}

graph_memory_allocation_error::graph_memory_allocation_error(
    const std::string &message)
    : poplar_error("graph_memory_allocation_error", message) {}

runtime_error::runtime_error(const std::string &message)
    : poplar_error("runtime_error", message) {}
runtime_error::runtime_error(const char *type, const std::string &message)
    : poplar_error(type, message) {}

recoverable_runtime_error::recoverable_runtime_error(const std::string &message,
                                                     RecoveryAction action)
    : system_runtime_error("recoverable_runtime_error", message),
      action(action) {}

std::string toString(RecoveryAction action) {
  switch (action) {
  case RecoveryAction::IPU_RESET:
    return "IPU_RESET";
  case RecoveryAction::LINK_RESET:
    return "LINK_RESET";
  case RecoveryAction::PARTITION_RESET:
    return "PARTITION_RESET";
  case RecoveryAction::FULL_RESET:
    return "FULL_RESET";
  }
  return "unknown";
}

std::ostream &operator<<(std::ostream &out, RecoveryAction action) {
  return out << toString(action);
}

} // namespace poplar
