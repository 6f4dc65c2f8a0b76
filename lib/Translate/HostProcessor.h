// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processor that regions are compiled for: the one that they will run on,
// which may have more than what the semantics are compiled for. No result
// depends on it.

#ifndef POPULUS_LIB_TRANSLATE_HOSTPROCESSOR_H
#define POPULUS_LIB_TRANSLATE_HOSTPROCESSOR_H

#include <string>

namespace populus::translate {

struct HostProcessor {
  std::string name;
  std::string features; // "+a,+b", in order
};

/// Asks the processor, once.
const HostProcessor &hostProcessor();

} // namespace populus::translate

#endif
