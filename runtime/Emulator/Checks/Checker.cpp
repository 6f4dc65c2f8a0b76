// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks. Every access goes through here, so the common case comes first: a
// region that was hit before, words that are known.

#include "runtime/Emulator/Checks/Checker.h"

#include "runtime/Emulator/Watching/Fault.h"
#include "runtime/Session/DeviceMemory.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace populus::runtime::emulator {

namespace {

constexpr unsigned WordBytes = 4;

Address wordOf(Address address) { return address / WordBytes * WordBytes; }

} // namespace

Checker::Checker(const CheckOptions &options, const Executable &executable,
                 std::uint32_t tile, const ImageFacts &facts)
    : options(options), executable(executable),
      setup(executable.tileSetups[executable.tileSetup[tile]]),
      image(executable.images[setup.image]), facts(facts),
      hasRegions(!executable.firstRegion.empty()),
      followsPointers(options[Check::Bounds] && hasRegions), stacks(setup),
      looksForRaces(options[Check::Races]),
      looksAtUses(looksForRaces || options[Check::DeadStores]),
      lo(tileAddresses(executable, tile).begin),
      hi(tileAddresses(executable, tile).end), numSlots(facts.special.size()),
      special(facts.special.data()), known(lo, hi),
      // Zero pages, of which few are touched.
      words(static_cast<Word *>(
                std::calloc((hi - lo) / WordBytes + 1, sizeof(Word))),
            std::free),
      alignment(lo) {
  if (!words)
    throw std::bad_alloc();
  written(image.base, static_cast<std::uint32_t>(image.bytes.size()));
}

void Checker::copied(const Checker *source, Address from, Address to,
                     std::uint32_t bytes) {
  if (!source) // a tile without code: the host wrote what it has
    return written(to, bytes);
  known.copy(source->known, from, to, bytes);
}

// ---- Who owns what ----------------------------------------------------------

void Checker::beginVertex(std::uint32_t index) {
  reportPending();
  const Vertex &data = executable.vertices[index];
  const VertexType &type = executable.vertexTypes[data.type];
  vertex = index;
  agents.beginVertex(index, type.kind);
  alignment.clear();
  for (auto &ofContext : lastRegions)
    ofContext.fill(nullptr);
  regions.find(executable, vertex);
  if (followsPointers)
    provenance.beginVertex(regions, data.state);
  if (!options[Check::Uninit])
    return;
  for (UnsetRegisters &ofContext : unset)
    ofContext.clear();
  forgetStacks();
}

void Checker::forgetStacks() {
  const TileStacks::Span all = stacks.all(lo, hi);
  if (all.first < all.last)
    known.forget(all.first, all.last - all.first);
}

/// Finds the region that the pointer of an access came from. Returns whether
/// the access stays in it, or the origin is not known.
[[gnu::always_inline]] inline bool Checker::isMeant(unsigned context,
                                                    Address address,
                                                    unsigned bytes,
                                                    bool store) {
  meant = nullptr;
  if (!followsPointers)
    return true;
  const Origin origin = provenance.ofAddress(context);
  if (!origin.isPointer())
    return true;
  meant = &regions.all()[origin.region()];
  if (!meant->contains(address, bytes, store))
    return false;
  lastRegions[context][store] = meant;
  return true;
}

[[gnu::always_inline]] inline Checker::Owner Checker::ownerOf(const Context &c,
                                                              Address address,
                                                              unsigned bytes,
                                                              bool store) {
  const bool mayBeRegion = isMeant(c.number, address, bytes, store);
  const AllowedRegion *&last = lastRegions[c.number][store];
  if (!mayBeRegion)
    last = nullptr;
  else if (last && last->contains(address, bytes, store)) [[likely]] {
    region = last;
    return Owner::Vertex;
  }
  if (mayBeRegion)
    if (const AllowedRegion *found =
            regions.containing(address, address + bytes, bytes, store)) {
      region = last = found;
      return Owner::Vertex;
    }
  if (address >= stacks.begin(c.number) &&
      address + bytes <= stacks.end(c.number))
    return Owner::Stack;
  if (address >= image.base &&
      address + bytes <= image.base + image.bytes.size())
    return Owner::Image;
  return Owner::Nobody;
}

// ---- What slots say ---------------------------------------------------------

void Checker::noteSlot(const Context &c, const SlotFacts &slotFacts) {
  if (slotFacts.bits != SlotFacts::Bits::None && options[Check::Alignment])
    noteBits(c, slotFacts);
  if (slotFacts.workers != SlotFacts::Workers::None)
    noteOrder(*c.tile, slotFacts.workers);
  if (unset[c.number].any())
    noteUse(c.number, slotFacts);
}

void Checker::noteBits(const Context &c, const SlotFacts &slotFacts) {
  const Operands &operands = slot->mainOperands;
  if (slotFacts.bits == SlotFacts::Bits::TakesLowest)
    alignment.test(c.m[operands.r[1]], regions);
  else
    alignment.join(c.m[operands.r[1]], c.m[operands.r[2]]);
}

void Checker::noteUse(unsigned context, const SlotFacts &slotFacts) {
  unset[context].execute(slotFacts, [this](const UnsetRegisters::Load &load) {
    report(Check::Uninit, load.pc, load.address, load.bytes, false);
    written(load.address, load.bytes); // once is enough
  });
}

/// Orders the supervisor's accesses before and after those of its workers.
void Checker::noteOrder(const Tile &tile, SlotFacts::Workers does) {
  if (does == SlotFacts::Workers::Awaits) {
    if (!tile.workersActive())
      agents.wait();
    return;
  }
  const bool all = does == SlotFacts::Workers::StartsAll;
  unsigned workers = 0;
  for (unsigned i = 0; i != NumWorkers; ++i)
    if (all || (workers == 0 && !tile.contexts[i].active)) {
      workers |= 1u << i;
      unset[i].clear();
      provenance.beginWorker(i);
    }
  agents.start(workers);
}

// ---- The checks -------------------------------------------------------------

[[gnu::always_inline]] inline void
Checker::checkAlignment(Address address, unsigned bytes, bool store) {
  const FieldInfo *field = region->field;
  if (bytes <= WordBytes || !field || !options[Check::Alignment] ||
      bytes <= field->elementBytes)
    return;
  const std::uint32_t promised = field->minAlign | (address - region->begin);
  if (((promised & (bytes - 1)) != 0 || (bytes == 16 && !field->interleaved)) &&
      !alignment.isTested(field))
    report(Check::Alignment, pc(), address, bytes, store);
}

[[gnu::always_inline]] inline void
Checker::setStored(unsigned context, Address address, unsigned bytes) {
  const UnsetRegisters &registers = unset[context];
  if (!registers.storesUnset()) [[likely]]
    return known.setAccess(address, bytes);
  for (unsigned i = 0; i != bytes / WordBytes; ++i)
    known.setMask(address + i * WordBytes, WordBytes,
                  registers.knownOfStored(i));
}

/// A load of what is not known, or not all of it.
void Checker::checkKnown(unsigned context, Owner owner, Address address,
                         unsigned bytes) {
  if (owner == Owner::Stack || stacks.isShared())
    return markLoaded(context, address, bytes);
  if (bytes == WordBytes) {
    pending.push_back({context, 0, address, pc()});
    return;
  }
  report(Check::Uninit, pc(), address, bytes, false);
  written(address, bytes); // once is enough
}

void Checker::markLoaded(unsigned context, Address address, unsigned bytes) {
  UnsetRegisters &registers = unset[context];
  const SlotFacts &slotFacts = facts.slots[slotIndex()];
  const unsigned first = numLoads <= std::size(slotFacts.loaded)
                             ? slotFacts.loaded[numLoads - 1]
                             : SlotFacts::NoRegister;
  if (first == SlotFacts::NoRegister) {
    // The load is no copy.
    if (!known.any(address, bytes))
      report(Check::Uninit, pc(), address, bytes, false);
    return;
  }
  if (bytes < WordBytes) {
    if (!known.any(address, bytes))
      registers.loaded(first, 0, {pc(), address, bytes, 0, false});
    return;
  }
  for (unsigned i = 0; i != bytes / WordBytes; ++i) {
    const Address word = address + i * WordBytes;
    if (!known.all(word, WordBytes))
      registers.loaded(
          first, i, {pc(), word, WordBytes, known.mask(word, WordBytes), true});
  }
}

void Checker::settlePending(unsigned number, Address address, bool store) {
  // A store of a part follows its load closely.
  constexpr unsigned Patience = 16;
  std::erase_if(pending, [&](Pending &load) {
    if (load.context != number)
      return false;
    if (store && address / WordBytes == load.word / WordBytes)
      return true;
    if (++load.age <= Patience)
      return false;
    report(Check::Uninit, load.pc, load.word, WordBytes, false);
    return true;
  });
}

void Checker::reportPending() {
  for (const Pending &load : pending)
    report(Check::Uninit, load.pc, load.word, WordBytes, false);
  pending.clear();
}

std::vector<Finding> Checker::take() {
  reportPending();
  indices.clear();
  return std::exchange(findings, {});
}

[[gnu::always_inline]] inline void Checker::checkLoad(Word &word,
                                                      std::uint32_t me,
                                                      Address address,
                                                      unsigned bytes) {
  if (word.unread)
    word.unread = 0;
  if (!looksForRaces)
    return;
  if (agents.concurrent(word.writer, me)) [[unlikely]]
    reportRace(me, word.writer, word.storedAt, address, bytes, false);
  if (word.reader == me || word.otherReader == me)
    return;
  if (agents.concurrent(word.reader, me)) {
    word.otherReader = me;
    word.otherLoadedAt = pc();
  } else {
    word.reader = me;
    word.loadedAt = pc();
  }
}

[[gnu::always_inline]] inline void
Checker::checkStore(Word &word, std::uint32_t me, Address address,
                    unsigned bytes, bool isEdge) {
  if (looksForRaces) {
    if (agents.concurrent(word.writer, me)) [[unlikely]]
      reportRace(me, word.writer, word.storedAt, address, bytes, true);
    else if (agents.concurrent(word.reader, me)) [[unlikely]]
      reportRace(me, word.reader, word.loadedAt, address, bytes, true);
    else if (agents.concurrent(word.otherReader, me)) [[unlikely]]
      reportRace(me, word.otherReader, word.otherLoadedAt, address, bytes,
                 true);
  }
  if (isEdge && word.unread && options[Check::DeadStores] &&
      agents.isOfVertex(word.writer)) {
    const Finding::Place other = placeOf(vertex, word.storedAt);
    report(Check::DeadStores, pc(), address, bytes, true, &other);
  }
  word.writer = me;
  word.storedAt = pc() & 0x7fffffff;
  word.unread = 1;
}

void Checker::access(const Context &c, Address address, unsigned bytes,
                     bool store) {
  if (!pending.empty()) [[unlikely]]
    settlePending(c.number, address, store);
  numLoads += !store;
  const Owner owner = ownerOf(c, address, bytes, store);
  if (owner == Owner::Vertex)
    checkAlignment(address, bytes, store);
  else if (owner == Owner::Nobody && options[Check::Bounds] && hasRegions)
    reportStray(address, bytes, store);
  if (followsPointers)
    provenance.accessed(c.number, address, bytes, store, numLoads - 1);
  if (options[Check::Uninit]) {
    if (store)
      setStored(c.number, address, bytes);
    else if (owner != Owner::Nobody && !known.all(address, bytes)) [[unlikely]]
      checkKnown(c.number, owner, address, bytes);
  }
  // An access outside of the vertex's regions may be another vertex's.
  const bool mayBeShared =
      owner == Owner::Vertex || (owner == Owner::Nobody && hasRegions);
  if (!looksAtUses || !mayBeShared)
    return;
  const std::uint32_t me = agents.of(c.number);
  const bool isEdge = owner == Owner::Vertex && region->isEdge;
  // Most vertices go on behind that.
  constexpr std::size_t WordsAhead = 8;
  __builtin_prefetch(&wordAt(address) + WordsAhead, 1);
  for (Address at = wordOf(address); at < address + bytes; at += WordBytes)
    store ? checkStore(wordAt(at), me, address, bytes, isEdge)
          : checkLoad(wordAt(at), me, address, bytes);
}

// ---- Reports ----------------------------------------------------------------

std::string Checker::describe(Address address) const {
  for (unsigned i = 0; i != NumWorkers + 1; ++i)
    if (address >= stacks.begin(i) && address < stacks.end(i))
      return "the stack of " + contextName(i);
  return describeAddress(executable, vertex, address);
}

Finding::Place Checker::placeOf(std::uint32_t index, Address pc) const {
  const Vertex &data = executable.vertices[index];
  Finding::Place place;
  place.vertex = executable.vertexTypes[data.type].name;
  place.state = data.state;
  place.pc = pc;
  place.symbol = code->describe(pc);
  place.source = code->sourceLine(pc);
  return place;
}

/// "in[40] of 40": the first element of the access that the region does not
/// have, or that may not be written.
std::string Checker::elementOf(const AllowedRegion &of, Address address,
                               unsigned bytes) const {
  if (of.isState)
    return "the vertex state at byte " +
           std::to_string(static_cast<std::int32_t>(address - of.begin)) +
           " of " + std::to_string(of.end - of.begin);
  std::string name(of.name);
  if (of.element != None)
    name += "[" + std::to_string(of.element) + "]";
  const std::uint32_t size = std::max(of.elementBytes, 1u);
  const Address first = address < of.begin || address + bytes <= of.end
                            ? address
                            : std::max(address, of.end);
  const std::int64_t offset = std::int64_t(first) - of.begin;
  const std::int64_t index =
      offset >= 0 ? offset / size : -((-offset + size - 1) / size);
  return name + "[" + std::to_string(index) + "] of " +
         std::to_string((of.end - of.begin) / size);
}

void Checker::reportStray(Address address, unsigned bytes, bool store) {
  ++strayAccesses;
  report(Check::Bounds, pc(), address, bytes, store);
}

void Checker::reportRace(std::uint32_t me, std::uint32_t other, Address otherAt,
                         Address address, unsigned bytes, bool store) {
  const Agent &first = agents[other];
  Finding::Place place = placeOf(first.vertex, otherAt);
  place.what = describeAddress(executable, first.vertex, address);
  if (!first.isOfVertex(agents[me]))
    return report(Check::Races, pc(), address, bytes, store, &place);
  place.context = contextName(first.context);
  report(Check::Races, pc(), address, bytes, store, &place,
         contextName(agents[me].context));
}

void Checker::report(Check check, Address at, Address address, unsigned bytes,
                     bool store, const Finding::Place *other,
                     const std::string &context) {
  Finding finding;
  finding.check = check;
  finding.store = store;
  finding.address = address;
  finding.bytes = bytes;
  finding.place = placeOf(vertex, at);
  finding.place.what = describe(address);
  finding.place.context = context;
  if (check == Check::Bounds && meant) {
    finding.element = elementOf(*meant, address, bytes);
    finding.origin = meant->begin;
    finding.isInOther =
        regions.containing(address, address + bytes, bytes, store) != nullptr;
  }
  if (other)
    finding.other = *other;
  const auto [same, isNew] =
      indices.try_emplace(finding.key(), findings.size());
  if (isNew)
    findings.push_back(std::move(finding));
  else
    ++findings[same->second].count;
}

} // namespace populus::runtime::emulator
