// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A path of names that groups the operators of a model.

#ifndef POPULUS_INCLUDE_POPART_SCOPE_HPP
#define POPULUS_INCLUDE_POPART_SCOPE_HPP

#include <ostream>
#include <string>
#include <vector>

namespace popart {

class Scope {
public:
  Scope() {}

  bool empty() const { return names.empty(); }
  void pop() { names.pop_back(); }
  /// Returns this scope extended by a name.
  Scope operator/(const std::string &name) const {
    Scope inner = *this;
    inner.names.push_back(name);
    return inner;
  }
  bool operator==(const Scope &other) const { return names == other.names; }
  bool operator!=(const Scope &other) const { return !(*this == other); }

  /// "layer1/attention".
  std::string str() const {
    std::string text;
    for (const std::string &name : names)
      text += (text.empty() ? "" : "/") + name;
    return text;
  }

private:
  std::vector<std::string> names;
};

inline std::ostream &operator<<(std::ostream &out, const Scope &scope) {
  return out << scope.str();
}

} // namespace popart

#endif
