// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of an Engine together with the target that they are for.

#ifndef POPULUS_INCLUDE_POPLAR_ENGINEOPTIONS_HPP
#define POPULUS_INCLUDE_POPLAR_ENGINEOPTIONS_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

namespace poplar {

/// Validated options. Engine and compileGraph accept them like OptionFlags.
class EngineOptions {
public:
  /// Throws invalid_option for an unknown key or an invalid value.
  explicit EngineOptions(const Target &target, const OptionFlags &flags = {});

  const Target &getTarget() const { return target; }
  const OptionFlags &getOptionFlags() const { return flags; }
  operator const OptionFlags &() const { return flags; }

  friend bool operator==(const EngineOptions &a, const EngineOptions &b) {
    return a.target == b.target && a.flags == b.flags;
  }
  friend bool operator!=(const EngineOptions &a, const EngineOptions &b) {
    return !(a == b);
  }

private:
  Target target;
  OptionFlags flags;
};

} // namespace poplar

#endif
