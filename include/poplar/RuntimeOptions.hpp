// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that may change from run to run of an Engine.

#ifndef POPULUS_INCLUDE_POPLAR_RUNTIMEOPTIONS_HPP
#define POPULUS_INCLUDE_POPLAR_RUNTIMEOPTIONS_HPP

#include <poplar/OptionFlags.hpp>

#include <cstddef>
#include <functional>
#include <string>

namespace poplar {

/// Options that Engine::load and Engine::run use instead of the engine's own.
/// Only target.hostSyncTimeout has an effect; the other options control waiting
/// for hardware and are ignored.
class RuntimeOptions {
public:
  RuntimeOptions() {}
  /// Throws invalid_option for an unknown key, an invalid value, or an option
  /// that cannot change between runs.
  explicit RuntimeOptions(const OptionFlags &flags);

  const OptionFlags &getOptionFlags() const { return flags; }

  friend bool operator==(const RuntimeOptions &a, const RuntimeOptions &b) {
    return a.flags == b.flags;
  }
  friend bool operator!=(const RuntimeOptions &a, const RuntimeOptions &b) {
    return a.flags != b.flags;
  }

private:
  OptionFlags flags;
};

} // namespace poplar

namespace std {
template <> struct hash<poplar::RuntimeOptions> {
  size_t operator()(const poplar::RuntimeOptions &options) const {
    size_t result = 0;
    for (const auto &flag : options.getOptionFlags())
      result = 31 * (31 * result + hash<string>()(flag.first)) +
               hash<string>()(flag.second);
    return result;
  }
};
} // namespace std

#endif
