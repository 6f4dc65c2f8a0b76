// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codelet archive (.gp): what popc writes and the graph compiler reads. On
// disk it is an `ar` archive holding one object per source and target (a host
// shared object for `cpu`, IPU ELF for the others) and a description of every
// vertex type as protobuf. This header is the in-memory form; docs/formats.md
// gives the bytes.
//
// Field layouts differ between targets (pointers have 4 bytes on a tile, 8 on
// the host), so a field's place is recorded per target, as the C++ compiler
// laid it out.

#ifndef POPULUS_LIB_ARCHIVE_ARCHIVE_H
#define POPULUS_LIB_ARCHIVE_ARCHIVE_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace populus::archive {

using runtime::ElementType;
using runtime::VertexKind;

/// A malformed or unreadable archive; the message names the file.
class ArchiveError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The kind of a vertex field. Stored in files: append, never renumber.
enum class FieldKind : std::uint8_t {
  State = 0,       // T x;                      value, setInitialValue
  StateVector = 1, // Vector<T> x;              array of values
  Edge = 2,        // Input<T> x;               pointer to one element
  EdgeVector = 3,  // Input<Vector<T>> x;       one region
  EdgeScalars = 4, // Vector<Input<T>> x;       array of pointers to elements
  EdgeList = 5,    // Vector<Input<Vector<T>>>  array of regions
  VectorList = 6,  // Input<VectorList<T, L>>   packed list of regions
};

enum class Direction : std::uint8_t {
  None = 0,
  Input = 1,
  Output = 2,
  InOut = 3
};

/// The representation of a vector in the vertex state. A span is a pointer
/// followed by a count, each of the target's pointer size; a OnePtr is a
/// pointer alone. Stored in files: append, never renumber.
enum class Layout : std::uint8_t {
  NotAVector = 0,
  Span = 1,
  ShortSpan = 2,
  OnePtr = 3,
  ScaledPtr32 = 4,
  ScaledPtr64 = 5,
  ScaledPtr128 = 6,
  DeltaN = 7,
  DeltaNElements = 8,
};

/// The elements that an edge points to or an array holds. Their width follows
/// the target for types such as size_t, and so does the alignment of structures
/// with pointers.
struct Elements {
  ElementType type = ElementType::Float;
  std::uint32_t minAlign = 1;

  friend bool operator==(const Elements &, const Elements &) = default;
};

/// A field's place in the vertex state of one target.
struct FieldPlace {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  /// The layout of the region (EdgeVector, EdgeList elements) or the array
  /// (StateVector).
  Layout inner = Layout::NotAVector;
  /// The layout of the array of regions or pointers (EdgeList, EdgeScalars), or
  /// of the VectorList.
  Layout outer = Layout::NotAVector;
  /// This target's elements, if they differ from the field's `type` and
  /// `minAlign`.
  std::optional<Elements> elements = std::nullopt;
};

/// An edge `x` of quarters is followed by the field `x.metadata`, an edge to
/// the byte that says what its elements mean.
inline constexpr const char *MetadataSuffix = ".metadata";

struct Field {
  std::string name;
  FieldKind kind = FieldKind::State;
  Direction direction = Direction::None;
  ElementType type = ElementType::Float;
  /// The alignment of each region's first byte.
  std::uint32_t minAlign = 1;
  bool interleaved = false;
  std::vector<FieldPlace> places; // parallel to VertexType::targets

  /// Returns the elements for the target with this number.
  Elements elements(std::size_t target) const {
    return places[target].elements.value_or(Elements{type, minAlign});
  }
};

/// The form of a vertex type on one target.
struct VertexTarget {
  std::string target;
  std::uint32_t stateBytes = 0;
  std::uint32_t stateAlign = 1;
};

struct VertexType {
  /// The name as given to Graph::addVertex: "ns::Class<float,true>".
  std::string name;
  /// Symbol of the entry point, the same on every target.
  std::string entry;
  VertexKind kind = VertexKind::Worker;
  /// The entry point is hand-written assembly on IPU targets.
  bool isExternal = false;
  /// "file:line" of the class, for messages.
  std::string location;
  std::vector<VertexTarget> targets;
  std::vector<Field> fields;
  /// Texts of poplar::constraint attributes.
  std::vector<std::string> constraints;
};

struct Object {
  std::string target;
  /// The source it was compiled from (base name), for messages.
  std::string source;
  std::vector<std::uint8_t> bytes;
};

struct Archive {
  std::vector<VertexType> vertexTypes; // by name
  std::vector<Object> objects;

  /// Reads a file. Throws ArchiveError.
  static Archive read(const std::filesystem::path &path);
  /// Reads bytes; `name` stands for the file in messages.
  static Archive parse(std::span<const std::uint8_t> bytes,
                       const std::string &name);

  /// The bytes of the file; the same for the same contents.
  std::vector<std::uint8_t> serialize() const;
  /// Writes a file through a temporary and a rename. Throws ArchiveError.
  void write(const std::filesystem::path &path) const;

  /// Adds the contents of `other`. Throws ArchiveError where both define a
  /// vertex type differently.
  void merge(Archive other);
};

} // namespace populus::archive

#endif
