// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nesting of debug names. DebugInfo.cpp records information about them.

#include <poplar/DebugContext.hpp>

#include <ostream>

namespace poplar {

namespace {

std::string join(const std::string &parent, const std::string &name) {
  if (parent.empty() || name.empty())
    return parent + name;
  return parent + "/" + name;
}

} // namespace

DebugNameAndId::DebugNameAndId(std::string name, DebugId id,
                               const std::string &parentPath)
    : name(std::move(name)), path(join(parentPath, this->name)), id(id) {}
DebugNameAndId::DebugNameAndId(DebugId id, const std::string &parentPath)
    : path(parentPath), id(id) {}
DebugNameAndId::DebugNameAndId(const DebugInfo &info, const std::string &name)
    : name(name), path(join(info.getPathName(), name)), id(info.getId()) {}
DebugNameAndId::DebugNameAndId(const DebugNameAndId &parent,
                               const std::string &name)
    : name(name), path(join(parent.path, name)), id(parent.id) {}
DebugNameAndId::DebugNameAndId(const DebugContext &context)
    : name(context.getName()), path(context.getPathName()),
      id(context.getParentId()) {}

std::ostream &operator<<(std::ostream &out, const DebugNameAndId &name) {
  return out << name.getPathName();
}

DebugContext::DebugContext(const char *name, SourceLocation location)
    : name(name ? name : ""), path(this->name), id(0), location(location) {}
DebugContext::DebugContext(StringRef name, SourceLocation location)
    : name(name.cloneAsString()), path(this->name), id(0), location(location) {}
DebugContext::DebugContext(const std::string &name, SourceLocation location)
    : name(name), path(name), id(0), location(location) {}
DebugContext::DebugContext(const DebugNameAndId &parent,
                           const std::string &name, SourceLocation location)
    : name(name.empty() ? parent.getName() : name),
      path(join(parent.getPathName(), name)), id(parent.getId()),
      location(location) {}
DebugContext::DebugContext(const DebugInfo &parent, const std::string &name,
                           SourceLocation location)
    : name(name), path(join(parent.getPathName(), name)), id(parent.getId()),
      location(location) {}
DebugContext::DebugContext(const DebugContext &parent, const std::string &name)
    : name(name), path(join(parent.path, name)), id(parent.id),
      location(parent.location) {}

} // namespace poplar
