// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Levels of the host's instruction set. Host code of codelets runs on any
// machine of its architecture, and has its functions once more for machines
// that have longer vectors: popc makes them, under the symbol of the entry
// point and the level's suffix, and a device takes those of the highest level
// that its processor has.

#ifndef POPULUS_RUNTIME_TARGET_HOSTLEVELS_H
#define POPULUS_RUNTIME_TARGET_HOSTLEVELS_H

#include <span>
#include <string>
#include <string_view>

namespace populus::runtime {

struct HostLevel {
  /// The processor's name in compilers.
  std::string_view name;
  unsigned vectorBytes;
};

/// The level that every machine of the architecture has comes first, and is the
/// only one where there is no choice.
inline std::span<const HostLevel> hostLevels() {
#if defined(__x86_64__)
  static constexpr HostLevel Levels[] = {
      {"x86-64", 16}, {"x86-64-v3", 32}, {"x86-64-v4", 64}};
#else
  static constexpr HostLevel Levels[] = {{"generic", 16}};
#endif
  return Levels;
}

/// The symbol of a function's code for a level that is not the first one.
inline std::string symbolOfLevel(std::string_view symbol,
                                 const HostLevel &level) {
  return std::string(symbol) + '.' + std::string(level.name);
}

} // namespace populus::runtime

#endif
