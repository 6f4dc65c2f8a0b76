// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reasons to stop: breakpoints, data that has changed, NaNs, the ends of
// motions, faults. A reason that belongs to a bundle that has been executed is
// seen before the next bundle, or after the vertex.

#include "lib/Debugger/Debugger.h"

#include "runtime/Emulator/Semantics/FloatEnvironment.h"
#include "runtime/Emulator/Tile/Tile.h"
#include "runtime/Emulator/Watching/Fault.h"
#include "runtime/Session/FaultReport.h"

#include <algorithm>

namespace populus::debugger {

namespace rt = populus::runtime;
using namespace rt::emulator;

namespace {

/// Returns whether the float environment says that an operation made a NaN.
bool saysNan(std::uint32_t status, std::uint32_t control) {
  return (status & FpInvalid) ||
         ((status & FpOverflow) && (control & FpNanOnOverflow));
}

} // namespace

bool Debugger::wantsNans() const {
  return std::any_of(table.begin(), table.end(), [](const auto &entry) {
    return entry.second.enabled &&
           entry.second.kind == Breakpoint::Kind::NotANumber;
  });
}

bool Debugger::watches(std::uint32_t tile) const {
  for (const auto &[number, breakpoint] : table)
    if (breakpoint.enabled && breakpoint.kind == Breakpoint::Kind::Data)
      for (const Segment &segment : breakpoint.data.segments)
        if (segment.tile == tile)
          return true;
  return false;
}

bool Debugger::looksAtCode(std::uint32_t tile, std::uint32_t vertex) const {
  // The float flags of a worker vertex are looked at when it has ended.
  const rt::VertexKind kind =
      program.vertexTypes[program.vertices[vertex].type].kind;
  if (kind != rt::VertexKind::Worker && wantsNans())
    return true;
  for (const auto &[number, breakpoint] : table) {
    if (!breakpoint.enabled || !breakpoint.hasTile(tile))
      continue;
    if (breakpoint.kind == Breakpoint::Kind::Vertex &&
        breakpoint.index == program.vertices[vertex].type)
      return true;
    if (breakpoint.kind == Breakpoint::Kind::Code)
      for (const Place &place : breakpoint.places)
        if (place.image == index.imageOfTile(tile))
          return true;
  }
  return interrupted;
}

/// Counts a hit. Returns whether it stops.
bool Debugger::counts(Breakpoint &breakpoint) {
  if (!breakpoint.condition.empty() && condition &&
      !condition(breakpoint.condition))
    return false;
  ++breakpoint.hits;
  if (breakpoint.ignored == 0)
    return true;
  --breakpoint.ignored;
  return false;
}

std::string Debugger::describeBundle(Place place) const {
  const SourcePlace line = index.lineAt(place);
  return rt::hexadecimal(place.address) + " in " + index.describe(place) +
         (line.line ? " at " + line.text() : "");
}

// ---- Breakpoints ------------------------------------------------------------

std::optional<Stop> Debugger::atBreakpoint(const Context &c, Place place) {
  for (auto &[number, breakpoint] : table) {
    if (!breakpoint.enabled || !breakpoint.hasTile(c.tile->number) ||
        (breakpoint.context && *breakpoint.context != c.number))
      continue;
    const bool isHere =
        breakpoint.kind == Breakpoint::Kind::Code
            ? std::binary_search(breakpoint.places.begin(),
                                 breakpoint.places.end(), place)
            : breakpoint.kind == Breakpoint::Kind::Vertex && here.slot == 0 &&
                  breakpoint.index == program.vertices[*vertexNumber].type;
    if (!isHere || !counts(breakpoint))
      continue;
    const Stop stop = {StopKind::Breakpoint, number,
                       "Breakpoint " + std::to_string(number)};
    if (breakpoint.temporary && mode == Mode::Normal)
      table.erase(number);
    return stop;
  }
  return std::nullopt;
}

std::optional<Stop> Debugger::atStep(std::uint32_t number) {
  const rt::Step &step = program.steps[number];
  const bool isGroup =
      step.kind == rt::StepKind::Sequence || step.kind == rt::StepKind::Call;
  if (mode == Mode::Normal && motion == Motion::NextStep && !isGroup)
    return Stop{StopKind::Step, 0, ""};
  if (interrupted && mode == Mode::Normal)
    return Stop{StopKind::Interrupt, 0, "Interrupted"};
  if (step.kind != rt::StepKind::Execute)
    return std::nullopt;
  for (auto &[id, breakpoint] : table)
    if (breakpoint.enabled && breakpoint.kind == Breakpoint::Kind::ComputeSet &&
        breakpoint.index == step.computeSet() && counts(breakpoint))
      return Stop{StopKind::Breakpoint, id, "Breakpoint " + std::to_string(id)};
  return std::nullopt;
}

// ---- Data -------------------------------------------------------------------

std::optional<Stop> Debugger::changedData() {
  storePending = false;
  for (auto &[number, breakpoint] : table) {
    if (!breakpoint.enabled || breakpoint.kind != Breakpoint::Kind::Data)
      continue;
    std::vector<std::byte> now = loaded(breakpoint.data, *this).bytes;
    const bool isChange = breakpoint.trigger == Breakpoint::Trigger::Change;
    const bool isAccess = accessed && accessed->first == number;
    if (isChange ? now == breakpoint.seen : !isAccess)
      continue;
    const bool wasStore = isAccess && accessed->second;
    accessed.reset();
    const Value before = {breakpoint.data.type, {}, breakpoint.seen};
    breakpoint.seen = std::move(now);
    if (!counts(breakpoint))
      continue;
    const Value after = {breakpoint.data.type, {}, breakpoint.seen};
    std::string text =
        "Watchpoint " + std::to_string(number) + ": " + breakpoint.what;
    if (isChange || wasStore)
      text += "\n  old value: " + textOf(before, *this) +
              "\n  new value: " + textOf(after, *this);
    else
      text += "\n  value: " + textOf(after, *this);
    text += "\n  " + describeLast(isChange || wasStore ? "written" : "read");
    return Stop{StopKind::Watchpoint, number, std::move(text)};
  }
  return std::nullopt;
}

/// "written by 0x4c044 in …": the last bundle of the context, or the step.
std::string Debugger::describeLast(const char *verb) const {
  if (context && lastPc.count(context->number))
    return std::string(verb) + " by " +
           describeBundle(
               {index.imageOfTile(tileNumber), lastPc.at(context->number)});
  return std::string(verb) + " by " + describeStep(stepNumber);
}

// ---- NaNs -------------------------------------------------------------------

bool Debugger::hasNan(const Tile &tile) const {
  return std::any_of(
      tile.contexts.begin(), tile.contexts.begin() + NumWorkers,
      [](const Context &c) { return saysNan(c.fpStatus, c.fpControl); });
}

std::optional<Stop> Debugger::newNan(const Context &c) {
  std::uint32_t &seen = seenStatus[c.number];
  const bool isNew = saysNan(c.fpStatus, c.fpControl) &&
                     !saysNan(seen, c.fpControl) && lastPc.count(c.number);
  seen = c.fpStatus;
  if (!isNew)
    return std::nullopt;
  for (auto &[number, breakpoint] : table)
    if (breakpoint.enabled && breakpoint.kind == Breakpoint::Kind::NotANumber &&
        breakpoint.hasTile(c.tile->number) && counts(breakpoint))
      return Stop{StopKind::NotANumber, number,
                  "Catchpoint " + std::to_string(number) + ": a NaN\n  " +
                      describeLast("made")};
  return std::nullopt;
}

/// After data has come from the host: a NaN in it.
std::optional<Stop> Debugger::newNanAfter(std::uint32_t number) {
  const rt::Step &step = program.steps[number];
  if (!wantsNans() || (step.kind != rt::StepKind::StreamToDevice &&
                       step.kind != rt::StepKind::RemoteToDevice))
    return std::nullopt;
  const rt::TensorLayout &layout = program.tensors[step.tensor];
  if (!rt::info(layout.type).isFloatingPoint)
    return std::nullopt;
  std::uint64_t element = 0;
  const TypePtr type = typeOf(layout.type);
  for (std::uint32_t i = 0; i != layout.segments.count; ++i) {
    const Segment &segment = program.segments[layout.segments.first + i];
    const Value data = loaded({type, {segment}, {}}, *this);
    for (std::size_t at = 0; at != data.bytes.size();
         at += type->bytes, ++element) {
      const double value = toReal(slice({type, {}, data.bytes}, at, type));
      if (value == value)
        continue;
      for (auto &[id, breakpoint] : table)
        if (breakpoint.enabled &&
            breakpoint.kind == Breakpoint::Kind::NotANumber &&
            breakpoint.hasTile(segment.tile) && counts(breakpoint))
          return Stop{StopKind::NotANumber, id,
                      "Catchpoint " + std::to_string(id) +
                          ": a NaN\n  element " + std::to_string(element) +
                          " of " + describeStep(number)};
    }
  }
  return std::nullopt;
}

// ---- Motions ----------------------------------------------------------------

bool Debugger::motionEnds(const Context &c, Place place) {
  if (motion == Motion::Continue || motion == Motion::NextStep)
    return false;
  // At the beginning of another vertex every motion ends.
  if (lastVertexEvent != origin.event)
    return here.slot == 0;
  if (motion == Motion::NextVertex || c.number != origin.context)
    return false;
  const std::uint32_t stack = c.m[StackPointer];
  if (motion == Motion::Finish)
    return place.address == origin.returnTo && stack == origin.stack;
  if (stepOverTo != 0) {
    if (place.address != stepOverTo || stack != stepOverStack)
      return false;
    stepOverTo = 0;
  }
  if (motion == Motion::StepBundle)
    return true;
  const rt::Symbol *function = index.functionAt(place);
  const bool isCall = function && function->address == place.address &&
                      lastPc.count(c.number) &&
                      c.m[LinkRegister] == lastPc[c.number] + 4;
  if (isCall && (motion != Motion::StepLine || index.lineAt(place).line == 0)) {
    stepOverTo = c.m[LinkRegister];
    stepOverStack = stack;
    return false;
  }
  if (motion == Motion::NextBundle)
    return true;
  const SourcePlace line = index.lineAt(place);
  if (origin.line.line == 0) // there are no lines to step by
    return true;
  // Functions are entered behind their prologue, where variables have values.
  return line.line != 0 && !(line == origin.line) && !isCall &&
         index.beginsLine(place);
}

std::optional<Stop> Debugger::afterBundle() {
  if (storePending || accessed)
    if (std::optional<Stop> stop = changedData())
      return stop;
  if (wantsNans() && context)
    return newNan(*context);
  return std::nullopt;
}

std::optional<Stop> Debugger::atBundle(Context &c, Place place) {
  if (std::optional<Stop> stop = afterBundle())
    return stop;
  if (std::optional<Stop> stop = atBreakpoint(c, place))
    return stop;
  if (mode != Mode::Normal)
    return std::nullopt;
  if (interrupted)
    return Stop{StopKind::Interrupt, 0, "Interrupted"};
  if (motionEnds(c, place))
    return Stop{StopKind::Step, 0, ""};
  return std::nullopt;
}

std::string Debugger::describeFault(const Context &c) const {
  rt::FaultReport report = rt::emulator::describeFault(c);
  std::string text = "Fault: " + report.what;
  if (report.address && vertexNumber) {
    const std::string near =
        describeAddress(program, *vertexNumber, *report.address);
    text += near.empty() ? "" : ", " + near;
  }
  return text;
}

std::string Debugger::describeStep(std::uint32_t number) const {
  const rt::Step &step = program.steps[number];
  switch (step.kind) {
  case rt::StepKind::Execute:
    return "compute set '" + program.computeSets[step.computeSet()].name + "'";
  case rt::StepKind::Exchange:
    return "exchange '" + program.exchanges[step.exchange()].name + "'";
  case rt::StepKind::StreamToDevice:
    return "input '" + program.streams[step.stream()].handle + "'";
  case rt::StepKind::DeviceToStream:
    return "output '" + program.streams[step.stream()].handle + "'";
  case rt::StepKind::RemoteToDevice:
  case rt::StepKind::DeviceToRemote:
    return "remote buffer '" +
           program.remoteBuffers[step.remoteBuffer()].handle + "'";
  case rt::StepKind::HostCall:
    return "host function '" +
           program.hostFunctions[step.hostFunction()].handle + "'";
  case rt::StepKind::Sync:
    return "a sync";
  default:
    return "step " + std::to_string(number) +
           (step.name.empty() ? "" : " '" + step.name + "'");
  }
}

} // namespace populus::debugger
