// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of operators and tensors in profiles. A context is a path of names; a
// DebugInfo has a number and values besides, which its creator may read again.

#ifndef POPULUS_INCLUDE_POPART_DEBUGCONTEXT_HPP
#define POPULUS_INCLUDE_POPART_DEBUGCONTEXT_HPP

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

namespace popart {

using DebugId = std::uint64_t;

/// A place in the source of a program.
struct SourceLocation {
  SourceLocation() {}
  SourceLocation(const std::string &functionName, const std::string &fileName,
                 unsigned lineNumber)
      : functionName(functionName), fileName(fileName), lineNumber(lineNumber) {
  }
  bool isValid() const { return !fileName.empty(); }
  const std::string &getFunctionName() const { return functionName; }
  const std::string &getFileName() const { return fileName; }
  unsigned getLineNumber() const { return lineNumber; }

  std::string functionName, fileName;
  unsigned lineNumber = 0;
};

class DebugInfo;

/// A path, and the number of the DebugInfo that it belongs to.
class DebugNameAndId {
public:
  DebugNameAndId(const std::string &name = "", DebugId id = 0,
                 const std::string &parentPath = "")
      : name(parentPath.empty() || name.empty() ? parentPath + name
                                                : parentPath + "/" + name),
        id(id) {}
  DebugNameAndId(const char *name) : name(name) {}

  const std::string &getPathName() const { return name; }
  DebugId getParentId() const { return id; }

private:
  std::string name;
  DebugId id = 0;
};

class DebugContext {
public:
  DebugContext() {}
  DebugContext(const char *name) : name(name) {}
  DebugContext(const std::string &name) : name(name) {}
  DebugContext(SourceLocation) {}
  DebugContext(const std::string &name, SourceLocation) : name(name) {}
  DebugContext(const DebugContext &parent, const std::string &name)
      : name(join(parent.name, name)) {}
  inline DebugContext(const DebugInfo &parent, const std::string &name = "");
  DebugContext(const DebugNameAndId &parent, const std::string &name = "")
      : name(join(parent.getPathName(), name)), id(parent.getParentId()) {}

  const std::string &getPathName() const { return name; }
  /// Number of the DebugInfo that the context belongs to, or 0.
  DebugId getParentId() const { return id; }

private:
  static std::string join(const std::string &first, const std::string &second) {
    return first.empty() || second.empty() ? first + second
                                           : first + "/" + second;
  }

  std::string name;
  DebugId id = 0;
};

class DebugInfo {
public:
  DebugInfo(const DebugContext &context, const std::string &layer)
      : id(nextId()), path(context.getPathName()) {
    setValue("layer", layer);
  }
  virtual ~DebugInfo() {}

  DebugId getId() const { return id; }
  const std::string &getPathName() const { return path; }
  /// Keeps a value under a name; an existing one is replaced.
  bool setValue(const std::string &name, const std::string &value) {
    values[name] = value;
    return true;
  }
  /// Returns the empty string if there is no value of that name.
  std::string getValue(const std::string &name) const {
    const std::map<std::string, std::string>::const_iterator found =
        values.find(name);
    return found == values.end() ? std::string() : found->second;
  }

private:
  static DebugId nextId() {
    static std::atomic<DebugId> last{0};
    return ++last;
  }

  DebugId id;
  std::string path;
  std::map<std::string, std::string> values;
};

inline DebugContext::DebugContext(const DebugInfo &parent,
                                  const std::string &name)
    : name(join(parent.getPathName(), name)), id(parent.getId()) {}

} // namespace popart

#endif
