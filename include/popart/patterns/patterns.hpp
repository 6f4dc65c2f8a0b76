// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection of the rewrites of a model by name.

#ifndef POPULUS_INCLUDE_POPART_PATTERNS_PATTERNS_HPP
#define POPULUS_INCLUDE_POPART_PATTERNS_PATTERNS_HPP

#include <popart/names.hpp>

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace popart {

enum class PatternsLevel { NoPatterns, Minimal, Default, All };

/// Valid names are those of `popart-compile --list-patterns`, those of patterns
/// that the program has registered (patterns/pattern.hpp), and those of
/// PopART's guide without counterpart here, which have no effect. Any other
/// name is an error.
class Patterns {
public:
  explicit Patterns(PatternsLevel level = PatternsLevel::Default);
  /// Enables only these patterns.
  explicit Patterns(const std::vector<std::string> &names);
  static Patterns create(const std::vector<std::string> &names) {
    return Patterns(names);
  }

  bool isPatternEnabled(const std::string &name) const;
  Patterns &enablePattern(const std::string &name, bool enable);

  bool isPostNReplEnabled() const { return isPatternEnabled("PostNRepl"); }
  bool isInPlaceEnabled() const { return isPatternEnabled("InPlace"); }
  bool isPreUniReplEnabled() const { return isPatternEnabled("PreUniRepl"); }
  bool isOpToIdentityEnabled() const {
    return isPatternEnabled("OpToIdentity");
  }
  Patterns &enablePostNRepl(bool enable) {
    return enablePattern("PostNRepl", enable);
  }
  Patterns &enableInPlace(bool enable) {
    return enablePattern("InPlace", enable);
  }
  Patterns &enablePreUniRepl(bool enable) {
    return enablePattern("PreUniRepl", enable);
  }
  Patterns &enableOpToIdentity(bool enable) {
    return enablePattern("OpToIdentity", enable);
  }
  Patterns &enableRuntimeAsserts(bool) { return *this; }

  const std::map<std::string, bool> &getSettings() const { return settings; }

private:
  std::map<std::string, bool> settings;
};

std::ostream &operator<<(std::ostream &out, const Patterns &patterns);

} // namespace popart

#endif
