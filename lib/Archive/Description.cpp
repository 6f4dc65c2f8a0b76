// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the description of an archive into protobuf and back. The reader takes
// nothing for granted: every enumeration and every parallel array is checked,
// so that the code behind it can index without looking.

#include "lib/Archive/Description.h"

#include "lib/Archive/Description.pb.h"

#include <algorithm>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <limits>
#include <unordered_set>

namespace populus::archive {

namespace {

/// Version 2 has elements that differ by target; a file without such is of
/// version 1.
constexpr std::uint32_t FormatVersion = 2;
constexpr const char *Producer = "popc";
/// No vertex state on a tile comes near; keeps sums in later code from
/// overflowing.
constexpr std::uint32_t MaxStateBytes = 1u << 24;

template <typename Enum> std::uint32_t number(Enum value) {
  return static_cast<std::uint32_t>(value);
}

void encodeField(const Field &field, proto::Field &out) {
  out.set_name(field.name);
  out.set_kind(number(field.kind));
  out.set_direction(number(field.direction));
  out.set_type(number(field.type));
  out.set_min_align(field.minAlign);
  out.set_interleaved(field.interleaved);
  for (const FieldPlace &place : field.places) {
    proto::FieldPlace &to = *out.add_places();
    to.set_offset(place.offset);
    to.set_bytes(place.bytes);
    to.set_inner_layout(number(place.inner));
    to.set_outer_layout(number(place.outer));
    if (place.elements) {
      to.mutable_elements()->set_type(number(place.elements->type));
      to.mutable_elements()->set_min_align(place.elements->minAlign);
    }
  }
}

void encodeVertexType(const VertexType &type, proto::VertexType &out) {
  out.set_name(type.name);
  out.set_entry(type.entry);
  out.set_kind(number(type.kind));
  out.set_external(type.isExternal);
  out.set_location(type.location);
  for (const VertexTarget &target : type.targets) {
    proto::VertexTarget &to = *out.add_targets();
    to.set_target(target.target);
    to.set_state_bytes(target.stateBytes);
    to.set_state_align(target.stateAlign);
  }
  for (const Field &field : type.fields)
    encodeField(field, *out.add_fields());
  for (const std::string &constraint : type.constraints)
    out.add_constraints(constraint);
}

/// Decoding of one description; the file name is needed in every message.
class Decoder {
public:
  explicit Decoder(const std::string &file) : file(file) {}

  Archive decode(const proto::Description &description) const {
    Archive archive;
    for (const proto::Object &object : description.objects()) {
      if (object.target().empty())
        fail("an object without a target");
      archive.objects.push_back({object.target(), object.source(), {}});
    }
    std::unordered_set<std::string> names;
    for (const proto::VertexType &type : description.vertex_types()) {
      archive.vertexTypes.push_back(vertexType(type));
      if (!names.insert(type.name()).second)
        fail("vertex type '" + type.name() + "' is described twice");
    }
    return archive;
  }

  [[noreturn]] void fail(const std::string &what) const {
    throw ArchiveError(file + ": damaged description: " + what +
                       "; build the archive again with popc");
  }

private:
  template <typename Enum>
  Enum enumeration(std::uint32_t value, Enum last, const char *what) const {
    if (value > number(last))
      fail(std::string("unknown ") + what + " " + std::to_string(value));
    return static_cast<Enum>(value);
  }

  VertexType vertexType(const proto::VertexType &from) const {
    VertexType type;
    type.name = from.name();
    type.entry = from.entry();
    if (type.name.empty() || type.entry.empty())
      fail("a vertex type without a name or an entry point");
    type.kind = enumeration(from.kind(), VertexKind::Multi, "vertex kind");
    type.isExternal = from.external();
    type.location = from.location();
    for (const proto::VertexTarget &target : from.targets())
      type.targets.push_back(vertexTarget(target, type.name));
    if (type.targets.empty())
      fail("vertex type '" + type.name + "' is for no target");
    for (const proto::Field &field : from.fields())
      type.fields.push_back(decodeField(field, type));
    type.constraints.assign(from.constraints().begin(),
                            from.constraints().end());
    return type;
  }

  VertexTarget vertexTarget(const proto::VertexTarget &from,
                            const std::string &vertex) const {
    std::uint32_t align = from.state_align();
    if (align == 0 || (align & (align - 1)) || align > MaxStateBytes ||
        from.state_bytes() > MaxStateBytes)
      fail("impossible state size of vertex type '" + vertex + "'");
    return {from.target(), from.state_bytes(), align};
  }

  /// Decodes the elements of a field, or of one of its places.
  template <typename Message>
  Elements decodeElements(const Message &from, const std::string &where) const {
    const std::uint32_t align = from.min_align();
    if (align == 0 || (align & (align - 1)))
      fail(where + " has an alignment that is not a power of two");
    return {
        enumeration(from.type(), ElementType::QuarterMetadata, "element type"),
        align};
  }

  Field decodeField(const proto::Field &from, const VertexType &vertex) const {
    Field field;
    field.name = from.name();
    field.kind = enumeration(from.kind(), FieldKind::VectorList, "field kind");
    field.direction =
        enumeration(from.direction(), Direction::InOut, "direction");
    field.interleaved = from.interleaved();
    std::string where = "field '" + vertex.name + "." + field.name + "'";
    const Elements elements = decodeElements(from, where);
    field.type = elements.type;
    field.minAlign = elements.minAlign;
    if (std::size_t(from.places_size()) != vertex.targets.size())
      fail(where + " has not one place for each target");
    for (int i = 0; i != from.places_size(); ++i) {
      const proto::FieldPlace &place = from.places(i);
      std::uint32_t state = vertex.targets[i].stateBytes;
      if (place.offset() > state || place.bytes() > state - place.offset())
        fail(where + " lies outside the vertex state");
      field.places.push_back(
          {place.offset(),
           place.bytes(),
           enumeration(place.inner_layout(), Layout::DeltaNElements, "layout"),
           enumeration(place.outer_layout(), Layout::DeltaNElements, "layout"),
           {}});
      if (place.has_elements())
        field.places.back().elements = decodeElements(place.elements(), where);
    }
    return field;
  }

  const std::string &file;
};

} // namespace

namespace {

bool differsByTarget(const VertexType &type) {
  return std::any_of(
      type.fields.begin(), type.fields.end(), [](const Field &field) {
        return std::any_of(
            field.places.begin(), field.places.end(),
            [](const FieldPlace &place) { return place.elements.has_value(); });
      });
}

} // namespace

std::vector<std::uint8_t> encodeDescription(const Archive &archive) {
  proto::Description description;
  description.set_version(std::any_of(archive.vertexTypes.begin(),
                                      archive.vertexTypes.end(),
                                      differsByTarget)
                              ? FormatVersion
                              : 1);
  description.set_producer(Producer);
  for (const Object &object : archive.objects) {
    proto::Object &to = *description.add_objects();
    to.set_target(object.target);
    to.set_source(object.source);
  }
  for (const VertexType &type : archive.vertexTypes)
    encodeVertexType(type, *description.add_vertex_types());

  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    description.SerializeToCodedStream(&coded);
  }
  return {bytes.begin(), bytes.end()};
}

Archive decodeDescription(std::span<const std::uint8_t> bytes,
                          const std::string &file) {
  Decoder decoder(file);
  proto::Description description;
  if (bytes.size() > std::size_t(std::numeric_limits<int>::max()) ||
      !description.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    decoder.fail("it cannot be parsed");
  if (description.version() == 0 || description.version() > FormatVersion)
    throw ArchiveError(
        file + ": has format version " + std::to_string(description.version()) +
        ", this program reads versions up to " + std::to_string(FormatVersion) +
        "; build the archive again with this version's popc");
  return decoder.decode(description);
}

} // namespace populus::archive
