// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running, stopping and going back. Reasons.cpp decides about a bundle or a
// vertex whether to stop there.

#include "lib/Debugger/Debugger.h"

#include "runtime/Emulator/Tile/Tile.h"
#include "runtime/Emulator/Watching/TilePrints.h"
#include "runtime/Session/FaultReport.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace populus::debugger {

namespace rt = populus::runtime;
using namespace rt::emulator;

namespace {

/// Prints of codelets appear at once, but not when a run is repeated to go
/// back.
class Prints final : public rt::HostCalls {
public:
  explicit Prints(std::function<bool()> isRepeated)
      : isRepeated(std::move(isRepeated)) {}
  bool exit(std::int32_t) override { return false; }
  std::int32_t write(std::uint32_t stream, std::string_view bytes) override {
    if (stream != 1 && stream != 2)
      return -1;
    if (!isRepeated()) {
      std::FILE *file = stream == 1 ? stdout : stderr;
      std::fwrite(bytes.data(), 1, bytes.size(), file);
      std::fflush(file);
    }
    return static_cast<std::int32_t>(bytes.size());
  }

private:
  const std::function<bool()> isRepeated;
};

bool isBack(Motion motion) {
  return motion == Motion::BackBundle || motion == Motion::BackLine ||
         motion == Motion::BackContinue;
}

} // namespace

Debugger::Debugger(const rt::Executable &executable, SessionMaker maker,
                   rt::SessionOptions given)
    : program(executable), index(executable), maker(std::move(maker)),
      options(std::move(given)) {
  if (std::any_of(program.images.begin(), program.images.end(), callsHost))
    prints = std::make_unique<Prints>([this] { return mode != Mode::Normal; });
  options.hostCalls = prints.get();
  options.watch.debugger = this;
}

Debugger::~Debugger() = default;

// ---- Runs -------------------------------------------------------------------

bool Debugger::run(FrontEnd &given) {
  frontEnd = &given;
  pendingStop = Stop{StopKind::Start, 0, ""};
  target = {1, Position::Between};
  mode = Mode::Goto;
  do {
    const Motion last = std::exchange(motion, Motion::Continue);
    if (isBack(last))
      goBack(last);
    else if (std::exchange(lookCloser, false))
      pendingStop.reset(), mode = Mode::Goto;
    runOnce();
  } while (motion != Motion::Quit);
  return hasEnded;
}

/// Runs the program from its beginning.
void Debugger::runOnce() {
  here = {};
  lastVertexEvent = vertexBefore = 0;
  stepNumber = tileNumber = 0;
  vertexNumber.reset();
  context = nullptr;
  tiles.clear();
  ending = false;
  hasEnded = false;
  accessed.reset();
  storePending = false;
  current.reset(); // before there is another one
  current = maker(options);
  try {
    current->run(0);
    finishRun("The program has ended.");
  } catch (const Ended &) {
  } catch (const rt::RunError &error) {
    if (!ending)
      finishRun(std::string("The run has failed: ") + error.what());
  }
}

void Debugger::finishRun(const std::string &text) {
  vertexNumber.reset();
  context = nullptr;
  if (mode == Mode::Goto) // the position does not exist
    mode = Mode::Normal;
  if (mode != Mode::Normal)
    return;
  ++here.event;
  here.slot = Position::Between;
  hasEnded = true;
  motion = frontEnd->stopped({StopKind::End, 0, text});
  if (!isBack(motion) && motion != Motion::Quit)
    motion = Motion::Restart;
}

/// Lets the front end look, and takes its orders.
void Debugger::stop(Stop stop) {
  mode = Mode::Normal;
  const Motion order = frontEnd->stopped(stop);
  interrupted = false; // Ctrl-C in between asks for nothing
  obey(order);
}

void Debugger::obey(Motion order) {
  motion = order;
  ending = order == Motion::Quit || order == Motion::Restart || isBack(order);
  if (!ending)
    beginMotion();
}

void Debugger::beginMotion() {
  stepOverTo = 0;
  origin = {
      tileNumber,  context ? context->number : 0u, here.event, {}, nullptr, 0,
      std::nullopt};
  if (!context)
    return;
  const ThreadState state = stateOf(*context);
  const Place place = {index.imageOfTile(tileNumber), state.registers.pc};
  origin.line = index.lineAt(place);
  origin.function = index.functionAt(place);
  origin.stack = state.registers.m[StackPointer];
  if (motion != Motion::Finish)
    return;
  // The function that a vertex begins in has no caller.
  const bool isOutermost =
      vertexNumber && origin.function &&
      origin.function->address == program.vertices[*vertexNumber].entry;
  if (!isOutermost)
    if (const auto caller =
            index.debugInfo(place.image).caller(state.registers, *this)) {
      origin.returnTo = caller->pc;
      origin.stack = caller->m[StackPointer];
      return;
    }
  motion = Motion::NextVertex;
}

// ---- Going back -------------------------------------------------------------

void Debugger::goTo(Position position) {
  target = position;
  mode = Mode::Goto;
  pendingStop = Stop{StopKind::Back, 0, ""};
}

/// The position of the last bundle of the vertex that begins at an event.
std::optional<Position> Debugger::endOfVertex(std::uint64_t event) {
  if (event == 0)
    return std::nullopt;
  mode = Mode::Count;
  target = {event, Position::Between};
  found.reset();
  lineBegins.clear();
  lastLines.clear();
  runOnce();
  return found;
}

void Debugger::goBack(Motion order) {
  Position from = here;
  const std::uint64_t event = lastVertexEvent;
  const bool isInside = vertexNumber.has_value();
  const unsigned number = context ? context->number : origin.context;
  const std::uint32_t stack = context ? context->m[StackPointer] : 0;
  const Position start = {1, Position::Between};
  if (order == Motion::BackContinue) {
    const auto saved = table;
    mode = Mode::Search;
    target = from;
    found.reset();
    runOnce();
    table = saved;
    goTo(found.value_or(start));
    if (!found)
      pendingStop->text = "There is no stop before; this is the beginning.";
    return;
  }
  const std::uint64_t earlier = vertexBefore;
  if (isInside && from.slot == Position::Between) // after a fault
    if (const auto end = endOfVertex(event))
      from.slot = end->slot + 1;
  if (isInside && order == Motion::BackBundle && from.slot != 0)
    return goTo({event, from.slot - 1});
  if (isInside && order == Motion::BackLine && from.slot != 0) {
    endOfVertex(event);
    const LineBegin *best = nullptr;
    for (const LineBegin &begin : lineBegins)
      if (begin.slot < from.slot && begin.context == number &&
          begin.stack >= stack)
        best = &begin;
    return goTo({event, best ? best->slot : 0});
  }
  if (const auto end = endOfVertex(isInside ? earlier : event))
    return goTo(*end);
  goTo(start);
  pendingStop->text = "This is the beginning.";
}

/// Counts a bundle, and notes where lines begin.
void Debugger::countBundle(const Context &c, Place place) {
  found = {lastVertexEvent, here.slot};
  const SourcePlace line = index.lineAt(place);
  const rt::Symbol *function = index.functionAt(place);
  SourcePlace &last = lastLines[{c.number, function}];
  if (line.line == 0 || line == last)
    return;
  // A function that has just been called is deeper, although it has no stack.
  const bool isEntered = function && function->address == place.address;
  lineBegins.push_back(
      {here.slot, c.number, line, c.m[StackPointer] - isEntered});
  last = line;
}

// ---- Events -----------------------------------------------------------------

void Debugger::beforeStep(std::uint32_t step) {
  ++here.event;
  here.slot = Position::Between;
  stepNumber = step;
  stepEnded = false;
  vertexNumber.reset();
  context = nullptr;
  if (here.event == 1)
    for (auto &[number, breakpoint] : table)
      if (breakpoint.kind == Breakpoint::Kind::Data)
        breakpoint.seen = loaded(breakpoint.data, *this).bytes;
  if (mode == Mode::Goto && here == target) {
    Stop arrived = pendingStop.value_or(Stop{StopKind::Back, 0, ""});
    stop(std::move(arrived));
  } else if (mode == Mode::Normal || mode == Mode::Search) {
    if (const std::optional<Stop> reason = atStep(step)) {
      if (mode == Mode::Search)
        noteFound();
      else
        stop(*reason);
    }
  }
  if (ending)
    throw Ended();
}

void Debugger::afterStep(std::uint32_t step) {
  ++here.event;
  here.slot = Position::Between;
  stepNumber = step;
  stepEnded = true;
  vertexNumber.reset();
  context = nullptr;
  if (mode == Mode::Goto && here == target) {
    arrive();
  } else if (mode == Mode::Normal || mode == Mode::Search) {
    std::optional<Stop> reason = changedData();
    if (!reason)
      reason = newNanAfter(step);
    if (reason && mode == Mode::Search)
      noteFound();
    else if (reason)
      stop(*reason);
  }
  if (ending)
    throw Ended();
}

rt::DebugHook::Look Debugger::beforeVertex(Tile &tile, std::uint32_t vertex) {
  ++here.event;
  here.slot = Position::Between;
  vertexBefore = lastVertexEvent;
  lastVertexEvent = here.event;
  tileNumber = tile.number;
  vertexNumber = vertex;
  context = nullptr;
  tiles[tile.number] = &tile;
  seenStatus.clear();
  lastPc.clear();
  nextSlot = 0;
  if (wantsNans()) // starting a worker clears it, too
    for (unsigned i = 0; i != NumWorkers; ++i)
      tile.contexts[i].fpStatus = 0;
  look = lookAt(tile.number, vertex);
  return look;
}

rt::DebugHook::Look Debugger::lookAt(std::uint32_t tile,
                                     std::uint32_t vertex) const {
  if (mode == Mode::Count)
    return here.event == target.event ? Look::Slots : Look::Away;
  // A watchpoint may be set where the vertex stops.
  if (mode == Mode::Goto)
    return here.event == target.event ? Look::Accesses : Look::Away;
  if (watches(tile))
    return Look::Accesses;
  const bool isStepping = mode == Mode::Normal && motion != Motion::Continue &&
                          motion != Motion::NextStep;
  const bool isSearching = mode == Mode::Search && wantsNans();
  return isStepping || isSearching || looksAtCode(tile, vertex) ? Look::Accesses
                                                                : Look::Away;
}

bool Debugger::before(Context &c, const Slot *slot) {
  here.slot = nextSlot++;
  context = &c;
  const Place place = {index.imageOfTile(c.tile->number),
                       c.tile->code->addressOf(slot)};
  if (mode == Mode::Goto) {
    if (here == target)
      arrive();
  } else if (mode == Mode::Count) {
    countBundle(c, place);
  } else if (std::optional<Stop> reason = atBundle(c, place)) {
    if (mode == Mode::Search)
      noteFound();
    else
      stop(std::move(*reason));
  }
  lastPc[c.number] = place.address;
  if (!ending)
    return true;
  return c.fault(FaultKind::Breakpoint);
}

/// A position that was gone back to.
void Debugger::arrive() {
  for (auto &[number, breakpoint] : table)
    if (breakpoint.kind == Breakpoint::Kind::Data)
      breakpoint.seen = loaded(breakpoint.data, *this).bytes;
  if (pendingStop)
    return stop(*pendingStop);
  mode = Mode::Normal;
  motion = Motion::Continue;
}

void Debugger::noteFound() {
  if (here < target)
    found = here;
  else
    ending = true;
}

void Debugger::access(Context &c, Address address, unsigned bytes,
                      bool isStore) {
  storePending |= isStore;
  for (const auto &[number, breakpoint] : table) {
    if (breakpoint.kind != Breakpoint::Kind::Data || !breakpoint.enabled ||
        breakpoint.trigger == Breakpoint::Trigger::Change ||
        (isStore && breakpoint.trigger == Breakpoint::Trigger::Read))
      continue;
    for (const Segment &segment : breakpoint.data.segments)
      if (segment.tile == c.tile->number &&
          address < segment.address + segment.bytes &&
          segment.address < address + bytes)
        accessed = {number, isStore};
  }
}

bool Debugger::afterVertex(Tile &tile, Context *faulted) {
  if (ending)
    return true;
  const bool isReplay = mode == Mode::Goto || mode == Mode::Count;
  if (mode == Mode::Count && lastVertexEvent == target.event) {
    ending = true; // all is counted
    return false;
  }
  if (nextSlot != 0)
    here.slot = nextSlot;
  if (faulted && !isReplay) {
    context = faulted;
    if (mode == Mode::Search)
      noteFound();
    else
      stop({StopKind::Fault, 0, describeFault(*faulted)});
    return !ending;
  }
  if (mode == Mode::Goto && here == target)
    arrive();
  if (isReplay)
    return !ending;
  if (mode == Mode::Normal && look == Look::Away && wantsNans() &&
      hasNan(tile)) {
    // Run again and look at each bundle of this vertex.
    target = {here.event, 0};
    lookCloser = true;
    ending = true;
    return false;
  }
  if (std::optional<Stop> reason = afterBundle()) {
    if (mode == Mode::Search)
      noteFound();
    else
      stop(std::move(*reason));
  }
  return !ending;
}

// ---- The stopped program ----------------------------------------------------

ThreadState Debugger::stateOf(const Context &c) const {
  ThreadState state;
  state.number = c.number;
  state.isActive = vertexNumber && c.tile->number == tileNumber && c.active;
  state.isCurrent = &c == context;
  state.fpStatus = c.fpStatus;
  state.fpControl = c.fpControl;
  Registers &registers = state.registers;
  registers.tile = c.tile->number;
  std::copy_n(c.m, registers.m.size(), registers.m.begin());
  std::copy_n(c.a, registers.a.size(), registers.a.begin());
  const Slot *slot = c.faultKind != FaultKind::None ? c.faultSlot : c.resume;
  if (slot && c.tile->code->contains(slot))
    registers.pc = c.tile->code->addressOf(slot);
  return state;
}

std::vector<ThreadState> Debugger::threads(std::uint32_t number) const {
  std::vector<ThreadState> threads;
  const auto tile = tiles.find(number);
  if (tile != tiles.end())
    for (const Context &c : tile->second->contexts)
      threads.push_back(stateOf(c));
  return threads;
}

std::optional<ThreadState> Debugger::thread() const {
  if (!context)
    return std::nullopt;
  return stateOf(*context);
}

std::vector<std::uint32_t> Debugger::tilesThatRan() const {
  std::vector<std::uint32_t> numbers;
  for (const auto &[number, tile] : tiles)
    numbers.push_back(number);
  return numbers;
}

std::uint64_t Debugger::cycle() const {
  return context ? context->tile->cycleCount(*context) : current->clock();
}

std::string Debugger::computeSet() const {
  const rt::Step &step = program.steps[stepNumber];
  return step.kind == rt::StepKind::Execute
             ? program.computeSets[step.computeSet()].name
             : "";
}

std::string Debugger::vertexType() const {
  return vertexNumber
             ? program.vertexTypes[program.vertices[*vertexNumber].type].name
             : "";
}

void Debugger::read(std::uint32_t tile, Address address, void *data,
                    std::size_t bytes) const {
  if (tile >= program.numTiles())
    throw DebugError("there is no tile " + std::to_string(tile) +
                     "; the program has " + std::to_string(program.numTiles()));
  const rt::Session::TileBytes memory = current->tileMemory(tile);
  const std::uint64_t offset = std::uint64_t(address) - memory.begin;
  if (address < memory.begin || offset + bytes > memory.bytes.size())
    throw DebugError("tile " + std::to_string(tile) + " has no memory at " +
                     rt::hexadecimal(address));
  std::memcpy(data, memory.bytes.data() + offset, bytes);
}

unsigned Debugger::add(Breakpoint breakpoint) {
  breakpoint.number = ++lastNumber;
  if (breakpoint.kind == Breakpoint::Kind::Data)
    breakpoint.seen = loaded(breakpoint.data, *this).bytes;
  const unsigned number = breakpoint.number;
  table.emplace(number, std::move(breakpoint));
  return number;
}

} // namespace populus::debugger
