// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processor that regions are compiled for: the one that they will run on,
// which may have more than what the semantics are compiled for, or a lesser one
// that POPULUS_TRANSLATION_PROCESSOR names. No result depends on it.

#ifndef POPULUS_LIB_TRANSLATE_HOSTPROCESSOR_H
#define POPULUS_LIB_TRANSLATE_HOSTPROCESSOR_H

#include <string>

namespace populus::translate {

struct HostProcessor {
  std::string name;
  std::string features; // "+a,+b", in order
};

/// Makes LLVM's code generator for this kind of processor known; once.
void registerHostTarget();

/// Asks the processor and the environment, once. Throws std::runtime_error if
/// the variable names no processor.
const HostProcessor &hostProcessor();

} // namespace populus::translate

#endif
