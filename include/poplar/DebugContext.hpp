// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug names of graph objects. Every function that makes an object takes a
// DebugContext as its last argument. Names nest as functions do
// ("block/conv1/weights"). They appear in messages, reports and traces only and
// need not be unique.

#ifndef POPULUS_INCLUDE_POPLAR_DEBUGCONTEXT_HPP
#define POPULUS_INCLUDE_POPLAR_DEBUGCONTEXT_HPP

#include <poplar/ProfileValue.hpp>
#include <poplar/SourceLocation.hpp>
#include <poplar/StringRef.hpp>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>

namespace poplar {

using DebugId = std::uint64_t;
enum class DebugSerializationFormat { JSON, CBOR };

class DebugContext;
class DebugInfo;

/// A name with the names of its enclosing scopes: the cheap form in which
/// functions pass their context on.
class DebugNameAndId {
public:
  DebugNameAndId() : id(0) {}
  DebugNameAndId(std::string name, DebugId id = 0,
                 const std::string &parentPath = "");
  DebugNameAndId(const char *name) : name(name), path(name), id(0) {}
  DebugNameAndId(DebugId id, const std::string &parentPath = "");
  DebugNameAndId(const DebugInfo &info, const std::string &name = "");
  DebugNameAndId(const DebugNameAndId &parent, const std::string &name);
  DebugNameAndId(const DebugContext &context);

  const std::string &getName() const { return name; }
  const std::string &getPathName() const { return path; }
  DebugId getId() const { return id; }

private:
  std::string name, path;
  DebugId id;
};

std::ostream &operator<<(std::ostream &out, const DebugNameAndId &name);

class DebugContext {
public:
  DebugContext(SourceLocation location = SourceLocation::Current())
      : id(0), location(location) {}
  DebugContext(const char *name,
               SourceLocation location = SourceLocation::Current());
  DebugContext(StringRef name,
               SourceLocation location = SourceLocation::Current());
  DebugContext(const std::string &name,
               SourceLocation location = SourceLocation::Current());
  DebugContext(const DebugNameAndId &parent, const std::string &name = "",
               SourceLocation location = SourceLocation::Current());
  DebugContext(const DebugInfo &parent, const std::string &name = "",
               SourceLocation location = SourceLocation::Current());
  DebugContext(const DebugContext &parent, const std::string &name);

  const std::string &getName() const { return name; }
  const std::string &getPathName() const { return path; }
  DebugId getParentId() const { return id; }
  const SourceLocation &getLocation() const { return location; }

private:
  std::string name, path;
  DebugId id;
  SourceLocation location;
};

/// Facts about one operation of a library; libraries derive from it.
class DebugInfo {
public:
  DebugInfo(const DebugContext &context, std::string layer);
  DebugInfo(const DebugInfo &) = delete;
  DebugInfo &operator=(const DebugInfo &) = delete;
  virtual ~DebugInfo();

  DebugId getId() const { return id; }
  const std::string &getPathName() const { return path; }
  /// Records a fact under a name. Returns true if facts are being recorded.
  bool setValue(std::string name, const ProfileValue &value);

  /// Starts to write a record to this file for each DebugInfo when it ends: its
  /// numbers, names, source location and facts. Throws poplar_error if the file
  /// cannot be written.
  static void initializeStreamer(
      const std::string &fileName,
      const DebugSerializationFormat &format = DebugSerializationFormat::CBOR);
  static void closeStreamer();

private:
  std::string path;
  DebugId id;
  struct Facts;
  std::unique_ptr<Facts> facts; // while they are being recorded
};

} // namespace poplar

#endif
