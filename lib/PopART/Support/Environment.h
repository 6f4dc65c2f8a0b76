// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's variables of the environment.

#ifndef POPULUS_LIB_POPART_SUPPORT_ENVIRONMENT_H
#define POPULUS_LIB_POPART_SUPPORT_ENVIRONMENT_H

#include <cstdlib>
#include <string>

namespace populus::popir {

/// The value of POPART_<name>, or of POPONNX_<name>, as it was called at first;
/// null where neither is set.
inline const char *environment(const std::string &name) {
  const char *value = std::getenv(("POPART_" + name).c_str());
  return value ? value : std::getenv(("POPONNX_" + name).c_str());
}

} // namespace populus::popir

#endif
