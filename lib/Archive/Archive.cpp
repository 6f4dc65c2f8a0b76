// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads, writes and merges archives. The first member of the container is the
// description, the others are the objects in its order.

#include "lib/Archive/Archive.h"

#include "lib/Archive/Ar.h"
#include "lib/Archive/Description.h"
#include "lib/Archive/EntryCode.h"
#include "lib/Archive/FileOutput.h"
#include "runtime/Support/InputStream.h"
#include "runtime/Target/TargetInfo.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>

namespace populus::archive {

namespace {

constexpr const char *DescriptionMember = "description.pb";

/// A member name for people; the description holds the facts.
std::string objectMember(const Object &object) {
  std::string name = object.source + "." + object.target + ".o";
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return c == '/' || static_cast<unsigned char>(c) < ' '; },
      '_');
  return name;
}

bool isIntegerPair(ElementType a, ElementType b) {
  return !runtime::info(a).isFloatingPoint &&
         !runtime::info(b).isFloatingPoint &&
         runtime::info(a).isSigned == runtime::info(b).isSigned;
}

/// Returns whether two targets have the same field. Types such as size_t differ
/// in width between host and tile, and so does the alignment of structures. The
/// tile's type is kept; each place has the size and the elements on its target.
bool isSameField(const Field &a, const Field &b) {
  return a.name == b.name && a.kind == b.kind && a.direction == b.direction &&
         a.interleaved == b.interleaved &&
         (a.type == b.type || isIntegerPair(a.type, b.type));
}

/// Writes the elements of a field into each of its places.
void spellOut(Field &field) {
  if (field.kind == FieldKind::State)
    return;
  for (std::size_t i = 0; i != field.places.size(); ++i)
    field.places[i].elements = field.elements(i);
}

/// No place says again what the field says.
void takeTogether(Field &field) {
  for (FieldPlace &place : field.places)
    if (place.elements == Elements{field.type, field.minAlign})
      place.elements.reset();
}

bool isSamePlace(const FieldPlace &a, const FieldPlace &b) {
  return a.offset == b.offset && a.bytes == b.bytes && a.inner == b.inner &&
         a.outer == b.outer && a.elements == b.elements;
}

[[noreturn]] void failMerge(const VertexType &a, const VertexType &b,
                            const std::string &what) {
  throw ArchiveError("vertex type '" + a.name + "' is defined differently at " +
                     a.location + " and at " + b.location + ": " + what +
                     "; rename one of them");
}

std::size_t targetRank(const std::string &name) {
  std::size_t rank = 0;
  for (const runtime::TargetInfo &target : runtime::allTargets()) {
    if (target.name == name)
      return rank;
    ++rank;
  }
  return rank;
}

bool hasIpuTarget(const VertexType &type) {
  return std::any_of(
      type.targets.begin(), type.targets.end(),
      [](const VertexTarget &target) { return target.target != "cpu"; });
}

/// Adds target `index` of `from`, or checks that it is there already in the
/// same form.
void mergeTarget(VertexType &into, const VertexType &from, std::size_t index) {
  const VertexTarget &target = from.targets[index];
  auto known = std::find_if(
      into.targets.begin(), into.targets.end(),
      [&](const VertexTarget &other) { return other.target == target.target; });
  if (known != into.targets.end()) {
    std::size_t place = static_cast<std::size_t>(known - into.targets.begin());
    bool same = known->stateBytes == target.stateBytes &&
                known->stateAlign == target.stateAlign;
    for (std::size_t i = 0; same && i != into.fields.size(); ++i)
      same = isSamePlace(into.fields[i].places[place],
                         from.fields[i].places[index]);
    if (!same)
      failMerge(into, from, "the layout for " + target.target);
    return;
  }
  std::size_t rank = targetRank(target.target);
  std::size_t at = 0;
  while (at != into.targets.size() &&
         targetRank(into.targets[at].target) <= rank)
    ++at;
  auto offset = static_cast<std::ptrdiff_t>(at);
  into.targets.insert(into.targets.begin() + offset, target);
  for (std::size_t i = 0; i != into.fields.size(); ++i)
    into.fields[i].places.insert(into.fields[i].places.begin() + offset,
                                 from.fields[i].places[index]);
}

void mergeVertexType(VertexType &into, VertexType from) {
  const bool preferFrom = !hasIpuTarget(into) && hasIpuTarget(from);
  // Host code is entered in one way, whatever the kind: that of the IPU counts.
  if (into.kind != from.kind && hasIpuTarget(into) == hasIpuTarget(from))
    failMerge(into, from, "the base class");
  if (preferFrom)
    into.kind = from.kind;
  if (into.fields.size() != from.fields.size())
    failMerge(into, from, "the number of fields");
  for (std::size_t i = 0; i != into.fields.size(); ++i)
    if (!isSameField(into.fields[i], from.fields[i]))
      failMerge(into, from, "field '" + from.fields[i].name + "'");
  for (VertexType *type : {&into, &from})
    for (Field &field : type->fields)
      spellOut(field);
  for (std::size_t i = 0; i != from.targets.size(); ++i)
    mergeTarget(into, from, i);
  for (std::size_t i = 0; i != into.fields.size(); ++i) {
    Field &field = into.fields[i];
    if (preferFrom) {
      field.type = from.fields[i].type;
      field.minAlign = from.fields[i].minAlign;
    }
    takeTogether(field);
  }
  into.isExternal |= from.isExternal;
  for (const std::string &constraint : from.constraints)
    if (std::find(into.constraints.begin(), into.constraints.end(),
                  constraint) == into.constraints.end())
      into.constraints.push_back(constraint);
}

/// The object of a target that defines a type's entry point, and its code.
struct Entry {
  const Object *object;
  Code code;
};

std::optional<Entry> entryOf(const Archive &archive, const VertexType &type,
                             const std::string &target) {
  for (const Object &object : archive.objects)
    if (object.target == target)
      if (std::optional<Code> code = codeOf(object.bytes, type.entry))
        return Entry{&object, std::move(*code)};
  return std::nullopt;
}

/// Refuses two archives with different code for a vertex type: which of the two
/// ran would depend on their order. Host code is linked, so its bytes say
/// nothing.
void requireSameCode(const Archive &a, const Archive &b,
                     const VertexType &type) {
  for (const VertexTarget &target : type.targets) {
    const std::optional<Entry> mine = entryOf(a, type, target.target);
    const std::optional<Entry> other =
        mine ? entryOf(b, type, target.target) : std::nullopt;
    if (other && mine->code != other->code)
      throw ArchiveError("vertex type '" + type.name +
                         "' has different code for " + target.target +
                         " from " + mine->object->source + " and from " +
                         other->object->source +
                         "; rename one of them, or compile both with the same "
                         "options");
  }
}

} // namespace

Archive Archive::parse(std::span<const std::uint8_t> bytes,
                       const std::string &name) {
  std::vector<ArMember> members = readAr(bytes, name);
  if (members.empty() || members.front().name != DescriptionMember)
    throw ArchiveError(name + ": an archive, but not one of codelets (no " +
                       DescriptionMember + "); give a .gp file made by popc");
  Archive archive = decodeDescription(members.front().bytes, name);
  if (archive.objects.size() != members.size() - 1)
    throw ArchiveError(name + ": has " + std::to_string(members.size() - 1) +
                       " objects where its description names " +
                       std::to_string(archive.objects.size()) +
                       "; build the archive again with popc");
  for (std::size_t i = 0; i != archive.objects.size(); ++i)
    archive.objects[i].bytes.assign(members[i + 1].bytes.begin(),
                                    members[i + 1].bytes.end());
  return archive;
}

Archive Archive::read(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw ArchiveError("cannot read '" + path.string() +
                       "': " + std::strerror(errno));
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw ArchiveError("cannot read '" + path.string() +
                       "': " + std::strerror(EISDIR));
  const auto bytes = runtime::readAll<std::vector<std::uint8_t>>(stream);
  if (stream.bad())
    throw ArchiveError("cannot read '" + path.string() + "'");
  return parse(bytes, path.string());
}

std::vector<std::uint8_t> Archive::serialize() const {
  std::vector<std::uint8_t> description = encodeDescription(*this);
  std::vector<ArMember> members;
  members.push_back({DescriptionMember, description});
  for (const Object &object : objects)
    members.push_back({objectMember(object), object.bytes});
  return writeAr(members);
}

void Archive::write(const std::filesystem::path &path) const {
  std::string error = writeFile(path, serialize());
  if (!error.empty())
    throw ArchiveError(error);
}

void Archive::merge(Archive other) {
  // Into a copy first: a failed merge leaves this archive as it was.
  std::map<std::string, VertexType> byName;
  for (const VertexType &type : vertexTypes)
    byName.emplace(type.name, type);
  for (const VertexType &type : other.vertexTypes) {
    auto [known, isNew] = byName.emplace(type.name, type);
    if (isNew)
      continue;
    mergeVertexType(known->second, type);
    requireSameCode(*this, other, type);
  }
  vertexTypes.clear();
  for (auto &[name, type] : byName)
    vertexTypes.push_back(std::move(type));

  for (Object &object : other.objects) {
    bool known =
        std::any_of(objects.begin(), objects.end(), [&](const Object &mine) {
          return mine.target == object.target && mine.bytes == object.bytes;
        });
    if (!known)
      objects.push_back(std::move(object));
  }
}

} // namespace populus::archive
