// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Protobuf is encoded by hand, because only a dozen fields are needed.

#include "lib/Profile/TraceWriter.h"

#include <bit>
#include <string_view>

namespace populus::profile {

class TraceWriter::Message {
public:
  void number(unsigned field, std::uint64_t value) {
    varint(field << 3);
    varint(value);
  }
  void text(unsigned field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes.append(value);
  }
  void message(unsigned field, const Message &value) {
    text(field, value.bytes);
  }
  void fixed64(unsigned field, std::uint64_t value) {
    varint(field << 3 | 1);
    for (unsigned shift = 0; shift != 64; shift += 8)
      bytes.push_back(static_cast<char>(value >> shift));
  }
  void real(unsigned field, double value) {
    fixed64(field, std::bit_cast<std::uint64_t>(value));
  }
  const std::string &get() const { return bytes; }

private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes.push_back(static_cast<char>(value | 0x80));
    bytes.push_back(static_cast<char>(value));
  }
  std::string bytes;
};

namespace {

// Fields of perfetto.protos, by message.
namespace packet {
constexpr unsigned Timestamp = 8, TrustedSequence = 10, TrackEvent = 11,
                   InternedData = 12, SequenceFlags = 13, TrackDescriptor = 60;
constexpr unsigned StateCleared = 1, NeedsState = 2;
} // namespace packet
namespace track {
constexpr unsigned Uuid = 1, Name = 2, Process = 3, Parent = 5, Counter = 8;
constexpr unsigned ProcessId = 1, ProcessName = 6, CounterUnitName = 6;
} // namespace track
namespace event {
constexpr unsigned Annotation = 4, Type = 9, NameId = 10, TrackUuid = 11,
                   CounterValue = 30, DoubleCounterValue = 44, FlowBegin = 47,
                   FlowEnd = 48;
constexpr unsigned Begin = 1, End = 2, Instant = 3, CounterType = 4;
constexpr unsigned AnnotationName = 10, AnnotationUint = 3, AnnotationText = 6;
} // namespace event
namespace interned {
constexpr unsigned EventNames = 2;
constexpr unsigned Id = 1, Name = 2;
} // namespace interned

} // namespace

void TraceWriter::addProcess(std::uint64_t uuid, unsigned id,
                             const std::string &name) {
  Message process;
  process.number(track::ProcessId, id);
  process.text(track::ProcessName, name);
  Message descriptor;
  descriptor.number(track::Uuid, uuid);
  descriptor.message(track::Process, process);
  addDescriptor(descriptor);
}

void TraceWriter::addTrack(std::uint64_t uuid, std::uint64_t parent,
                           const std::string &name, const char *unit) {
  Message descriptor;
  descriptor.number(track::Uuid, uuid);
  descriptor.text(track::Name, name);
  descriptor.number(track::Parent, parent);
  if (unit) {
    Message counter;
    counter.text(track::CounterUnitName, unit);
    descriptor.message(track::Counter, counter);
  }
  addDescriptor(descriptor);
}

void TraceWriter::addNamed(unsigned type, std::uint64_t uuid,
                           std::uint64_t time, const std::string &name,
                           const Arguments &arguments, Arrow arrow,
                           std::uint64_t flow) {
  Message message;
  message.number(event::Type, type);
  message.number(event::TrackUuid, uuid);
  Message added;
  message.number(event::NameId, intern(name, added));
  for (const Argument &argument : arguments) {
    Message annotation;
    annotation.text(event::AnnotationName, argument.name);
    if (argument.text.empty())
      annotation.number(event::AnnotationUint, argument.value);
    else
      annotation.text(event::AnnotationText, argument.text);
    message.message(event::Annotation, annotation);
  }
  if (arrow != Arrow::None)
    message.fixed64(arrow == Arrow::Begin ? event::FlowBegin : event::FlowEnd,
                    flow);
  addEvent(time, message, added);
}

void TraceWriter::begin(std::uint64_t uuid, std::uint64_t time,
                        const std::string &name, const Arguments &arguments,
                        Arrow arrow, std::uint64_t flow) {
  addNamed(event::Begin, uuid, time, name, arguments, arrow, flow);
}

void TraceWriter::end(std::uint64_t uuid, std::uint64_t time) {
  Message last;
  last.number(event::Type, event::End);
  last.number(event::TrackUuid, uuid);
  addEvent(time, last, Message());
}

void TraceWriter::moment(std::uint64_t uuid, std::uint64_t time,
                         const std::string &name, const Arguments &arguments) {
  addNamed(event::Instant, uuid, time, name, arguments, Arrow::None, 0);
}

void TraceWriter::count(std::uint64_t uuid, std::uint64_t time,
                        std::uint64_t value) {
  Message message;
  message.number(event::Type, event::CounterType);
  message.number(event::TrackUuid, uuid);
  message.number(event::CounterValue, value);
  addEvent(time, message, Message());
}

void TraceWriter::count(std::uint64_t uuid, std::uint64_t time, double value) {
  Message message;
  message.number(event::Type, event::CounterType);
  message.number(event::TrackUuid, uuid);
  message.real(event::DoubleCounterValue, value);
  addEvent(time, message, Message());
}

std::uint64_t TraceWriter::intern(const std::string &name, Message &added) {
  const auto [known, isNew] = names.emplace(name, names.size() + 1);
  if (isNew) {
    Message entry;
    entry.number(interned::Id, known->second);
    entry.text(interned::Name, name);
    added.message(interned::EventNames, entry);
  }
  return known->second;
}

void TraceWriter::addDescriptor(const Message &descriptor) {
  Message packet;
  packet.message(packet::TrackDescriptor, descriptor);
  add(packet);
}

void TraceWriter::addEvent(std::uint64_t time, const Message &message,
                           const Message &added) {
  Message packet;
  packet.number(packet::Timestamp, time);
  packet.message(packet::TrackEvent, message);
  if (!added.get().empty())
    packet.message(packet::InternedData, added);
  add(packet);
}

void TraceWriter::add(Message &packet) {
  constexpr unsigned Sequence = 1;
  packet.number(packet::TrustedSequence, Sequence);
  packet.number(packet::SequenceFlags,
                isFirst ? packet::StateCleared | packet::NeedsState
                        : packet::NeedsState);
  isFirst = false;
  Message trace;
  trace.message(1, packet);
  bytes += trace.get();
}

} // namespace populus::profile
