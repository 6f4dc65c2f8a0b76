// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each packet is written as a message Trace of its own: such messages one after
// another are one message, and the trace is never in memory twice.

#include "lib/Profile/TraceWriter.h"

#include "lib/Profile/Trace.pb.h"

namespace populus::profile {

namespace {

using trace::TrackEvent;

/// Flags of a packet: it begins a sequence, and it needs names from before.
constexpr std::uint32_t StateCleared = 1, NeedsState = 2;

TrackEvent eventOf(TrackEvent::Type type, std::uint64_t track) {
  TrackEvent event;
  event.set_type(type);
  event.set_track_uuid(track);
  return event;
}

} // namespace

void TraceWriter::addProcess(std::uint64_t uuid, unsigned id,
                             const std::string &name) {
  trace::TrackDescriptor descriptor;
  descriptor.set_uuid(uuid);
  descriptor.mutable_process()->set_pid(static_cast<int>(id));
  descriptor.mutable_process()->set_process_name(name);
  addDescriptor(descriptor);
}

void TraceWriter::addTrack(std::uint64_t uuid, std::uint64_t parent,
                           const std::string &name, const char *unit) {
  trace::TrackDescriptor descriptor;
  descriptor.set_uuid(uuid);
  descriptor.set_name(name);
  descriptor.set_parent_uuid(parent);
  if (unit)
    descriptor.mutable_counter()->set_unit_name(unit);
  addDescriptor(descriptor);
}

void TraceWriter::addNamed(TrackEvent event, std::uint64_t time,
                           const std::string &name,
                           const Arguments &arguments) {
  trace::TracePacket packet;
  const auto [known, isNew] = names.emplace(name, names.size() + 1);
  if (isNew) {
    trace::EventName *added = packet.mutable_interned_data()->add_event_names();
    added->set_iid(known->second);
    added->set_name(name);
  }
  event.set_name_iid(known->second);
  for (const Argument &argument : arguments) {
    trace::Annotation *annotation = event.add_debug_annotations();
    annotation->set_name(argument.name);
    if (argument.text.empty())
      annotation->set_uint_value(argument.value);
    else
      annotation->set_string_value(argument.text);
  }
  addEvent(std::move(event), time, std::move(packet));
}

void TraceWriter::begin(std::uint64_t uuid, std::uint64_t time,
                        const std::string &name, const Arguments &arguments,
                        Arrow arrow, std::uint64_t flow) {
  TrackEvent event = eventOf(TrackEvent::SliceBegin, uuid);
  if (arrow == Arrow::Begin)
    event.add_flow_ids(flow);
  else if (arrow == Arrow::End)
    event.add_terminating_flow_ids(flow);
  addNamed(std::move(event), time, name, arguments);
}

void TraceWriter::end(std::uint64_t uuid, std::uint64_t time) {
  addEvent(eventOf(TrackEvent::SliceEnd, uuid), time, {});
}

void TraceWriter::moment(std::uint64_t uuid, std::uint64_t time,
                         const std::string &name, const Arguments &arguments) {
  addNamed(eventOf(TrackEvent::Instant, uuid), time, name, arguments);
}

void TraceWriter::count(std::uint64_t uuid, std::uint64_t time,
                        std::uint64_t value) {
  TrackEvent event = eventOf(TrackEvent::CounterValue, uuid);
  event.set_counter_value(static_cast<std::int64_t>(value));
  addEvent(std::move(event), time, {});
}

void TraceWriter::count(std::uint64_t uuid, std::uint64_t time, double value) {
  TrackEvent event = eventOf(TrackEvent::CounterValue, uuid);
  event.set_double_counter_value(value);
  addEvent(std::move(event), time, {});
}

void TraceWriter::addDescriptor(const trace::TrackDescriptor &descriptor) {
  trace::TracePacket packet;
  *packet.mutable_track_descriptor() = descriptor;
  add(std::move(packet));
}

void TraceWriter::addEvent(TrackEvent event, std::uint64_t time,
                           trace::TracePacket packet) {
  packet.set_timestamp(time);
  *packet.mutable_track_event() = std::move(event);
  add(std::move(packet));
}

void TraceWriter::add(trace::TracePacket packet) {
  packet.set_trusted_packet_sequence_id(1);
  packet.set_sequence_flags(bytes.empty() ? StateCleared | NeedsState
                                          : NeedsState);
  trace::Trace part;
  *part.add_packet() = std::move(packet);
  part.AppendToString(&bytes);
}

} // namespace populus::profile
