// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name that a program gives a part of its model, for messages and profiles.

#ifndef POPULUS_INCLUDE_POPART_DEBUGCONTEXT_HPP
#define POPULUS_INCLUDE_POPART_DEBUGCONTEXT_HPP

#include <string>

namespace popart {

class DebugContext {
public:
  DebugContext() {}
  DebugContext(const char *name) : name(name) {}
  DebugContext(const std::string &name) : name(name) {}
  DebugContext(const DebugContext &parent, const std::string &name)
      : name(parent.name.empty() ? name : parent.name + "/" + name) {}

  const std::string &getPathName() const { return name; }

private:
  std::string name;
};

} // namespace popart

#endif
