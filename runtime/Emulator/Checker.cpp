// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks. Every access goes through here, so the common case comes first: a
// region that was hit before, words that are known.

#include "runtime/Emulator/Checker.h"

#include "runtime/Emulator/Fault.h"
#include "runtime/Session/DeviceMemory.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string_view>

namespace populus::runtime::emulator {

namespace {

constexpr unsigned WordBytes = 4;

/// The bytes of the word at `word` that [address, address + bytes) covers.
std::uint8_t byteMask(Address word, Address address, unsigned bytes) {
  std::uint8_t mask = 0;
  for (unsigned i = 0; i != WordBytes; ++i)
    if (word + i >= address && word + i < address + bytes)
      mask |= 1 << i;
  return mask;
}

} // namespace

Checker::Checker(const CheckOptions &options, const Executable &executable,
                 std::uint32_t tile)
    : options(options), executable(executable),
      setup(executable.tileSetups[executable.tileSetup[tile]]),
      image(executable.images[setup.image]),
      lo(tileAddresses(executable, tile).begin),
      hi(tileAddresses(executable, tile).end),
      // Zero pages, of which few are touched.
      words(static_cast<Word *>(
                std::calloc((hi - lo) / WordBytes + 1, sizeof(Word))),
            std::free) {
  if (!words)
    throw std::bad_alloc();
  written(image.base, static_cast<std::uint32_t>(image.bytes.size()));
}

void Checker::written(Address address, std::uint32_t bytes) {
  for (Address word = address / WordBytes * WordBytes; word < address + bytes;
       word += WordBytes)
    wordAt(word)->known |= byteMask(word, address, bytes);
}

void Checker::copied(const Checker *source, Address from, Address to,
                     std::uint32_t bytes) {
  if (!source) // a tile without code: the host wrote what it has
    return written(to, bytes);
  for (std::uint32_t i = 0; i != bytes; ++i) {
    const Word &word = source->words[(from + i - lo) / WordBytes];
    const bool known = word.known >> (from + i) % WordBytes & 1;
    const std::uint8_t bit = 1 << (to + i) % WordBytes;
    std::uint8_t &mask = wordAt(to + i)->known;
    mask = known ? mask | bit : mask & ~bit;
  }
}

// ---- Who owns what ----------------------------------------------------------

Address Checker::stackBegin(unsigned context) const {
  if (context == Supervisor)
    return setup.workerBase[NumWorkers - 1] + WorkerScratchBytes;
  // Plain programs have one stack for whatever worker runs them.
  if (context == 0 || setup.workerBase[context] == setup.workerBase[0])
    return setup.stackBegin;
  return setup.workerBase[context - 1] + WorkerScratchBytes;
}

Address Checker::stackEnd(unsigned context) const {
  return context == Supervisor ? setup.supervisorStack
                               : setup.workerBase[context] + WorkerScratchBytes;
}

void Checker::beginVertex(std::uint32_t index) {
  reportPending();
  ++run;
  if (run == firstRun)
    vertexOfRun.clear();
  vertexOfRun.push_back(index);
  vertex = index;
  last = nullptr;
  testsAll = joinsAddresses = false;
  testedFields.clear();
  const Vertex &data = executable.vertices[index];
  const VertexType &type = executable.vertexTypes[data.type];
  allowed.clear();
  allowed.push_back({data.state, data.state + type.stateBytes, 0, nullptr});
  for (const VertexRegion &region : regionsOf(executable, index))
    allowed.push_back(
        {region.address, region.address + region.bytes, 0,
         region.isArray() ? nullptr : &type.fields[region.field()]});
  std::sort(
      allowed.begin(), allowed.end(),
      [](const Allowed &a, const Allowed &b) { return a.begin < b.begin; });
  Address reach = 0;
  for (Allowed &region : allowed)
    region.reach = reach = std::max(reach, region.end);
  if (options[Check::Uninit])
    forgetStacks();
}

/// A damaged program may say that its stacks are anywhere.
void Checker::forgetStacks() {
  const Address end =
      std::min(hi, std::max(stackEnd(Supervisor), stackEnd(NumWorkers - 1)));
  for (Address word = std::max(setup.stackBegin, lo); word < end;
       word += WordBytes)
    wordAt(word)->known = 0;
}

bool Checker::belongs(const Allowed &region, Address address, unsigned bytes,
                      bool store) const {
  if (store && region.field && region.field->access == FieldAccess::Input)
    return false;
  // The last word of what is written is the vertex's own, and is loaded and
  // stored whole.
  const bool isWritten =
      region.field && region.field->access >= FieldAccess::Output;
  const Address end = isWritten && bytes == WordBytes
                          ? (region.end + WordBytes - 1) / WordBytes * WordBytes
                          : region.end;
  return address >= region.begin && address + bytes <= end;
}

const Checker::Allowed *Checker::findAllowed(Address address, unsigned bytes,
                                             bool store) {
  if (last && belongs(*last, address, bytes, store))
    return last;
  auto after = std::upper_bound(
      allowed.begin(), allowed.end(), address,
      [](Address a, const Allowed &region) { return a < region.begin; });
  while (after != allowed.begin()) {
    const Allowed &region = *--after;
    if (belongs(region, address, bytes, store))
      return last = &region;
    if (region.reach + WordBytes <= address)
      break;
  }
  return nullptr;
}

Checker::Owner Checker::ownerOf(const Context &c, Address address,
                                unsigned bytes, bool store) {
  if (findAllowed(address, bytes, store))
    return Owner::Vertex;
  if (address >= stackBegin(c.number) && address + bytes <= stackEnd(c.number))
    return Owner::Stack;
  if (address >= image.base &&
      address + bytes <= image.base + image.bytes.size())
    return Owner::Image;
  return Owner::Nobody;
}

/// Whether the main instruction of a slot is the table's row of that name.
static bool isRow(const Slot &slot, const Handlers &handlers) {
  return slot.step == handlers.stepLone || slot.main == handlers.half;
}

static const Handlers &handlersOfRow(std::string_view name) {
  const auto row =
      std::find_if(rows().begin(), rows().end(),
                   [name](const RowInfo &info) { return info.name == name; });
  return handlersOf(static_cast<std::size_t>(row - rows().begin()));
}

/// Whether a slot takes the lowest bits of a register, `and $mN, $mM, 7`, or
/// only the one that tells odd words from even ones: `and $mN, $mM, 4`.
static bool takesLowBits(const Slot &slot) {
  static const Handlers &both = handlersOfRow("AND_m_rz");
  const std::int32_t mask = slot.mainOperands.imm;
  return mask >= 0 && mask <= 15 && (mask & 4) != 0 && isRow(slot, both);
}

/// Whether a slot makes one value of two registers, the lowest bits of both
/// in it.
static bool joins(const Slot &slot) {
  static const Handlers &either = handlersOfRow("OR_m_rr");
  static const Handlers &difference = handlersOfRow("XOR_rr");
  static const Handlers &sum = handlersOfRow("ADD_rr");
  return isRow(slot, either) || isRow(slot, difference) || isRow(slot, sum);
}

/// A vertex that looks at the lowest bits of an address knows by itself what
/// is aligned.
void Checker::before(const Context &c, const Slot &slot) {
  if (!options[Check::Alignment] || testsAll)
    return;
  const Operands &operands = slot.mainOperands;
  if (takesLowBits(slot))
    noteTest(c.m[operands.r[1]]);
  else if (joins(slot))
    joinsAddresses |= c.m[operands.r[1]] >= lo && c.m[operands.r[2]] >= lo;
}

/// It counts for the field that the address is in, or ends at. Which ones are
/// meant by a value made of several addresses, or by one that is elsewhere,
/// cannot be told: then it counts for all.
void Checker::noteTest(Address address) {
  if (address < lo)
    return;
  bool isKnown = false;
  for (const Allowed &region : allowed)
    if (region.field && address >= region.begin && address <= region.end) {
      testedFields.push_back(region.field);
      isKnown = true;
    }
  testsAll |= joinsAddresses || !isKnown;
}

bool Checker::isTested(const FieldInfo *field) const {
  return testsAll || std::find(testedFields.begin(), testedFields.end(),
                               field) != testedFields.end();
}

// ---- The checks -------------------------------------------------------------

void Checker::access(const Context &c, const Slot *at, Address address,
                     unsigned bytes, bool store) {
  slot = at;
  if (!pending.empty())
    settlePending(c.number, address, store);
  const Owner owner = ownerOf(c, address, bytes, store);
  if (owner == Owner::Nobody) {
    if (options[Check::Bounds] && !executable.firstRegion.empty())
      report(Check::Bounds, pc(), address, bytes, store);
  } else if (owner == Owner::Vertex) {
    checkAlignment(address, bytes, store);
  }
  const bool isEdge = owner == Owner::Vertex && last->field &&
                      last->field->access >= FieldAccess::Output;
  if (!store && options[Check::Uninit] && owner != Owner::Nobody)
    checkKnown(c.number, address, bytes, owner == Owner::Stack);
  for (Address word = address / WordBytes * WordBytes; word < address + bytes;
       word += WordBytes) {
    Word &entry = *wordAt(word);
    // What one vertex gets at by mistake may be another one's.
    if (owner == Owner::Vertex ||
        (owner == Owner::Nobody && !executable.firstRegion.empty()))
      checkUse(entry, address, bytes, store, isEdge);
    if (store)
      entry.known |= byteMask(word, address, bytes);
  }
}

void Checker::checkAlignment(Address address, unsigned bytes, bool store) {
  const FieldInfo *field = last->field;
  if (!options[Check::Alignment] || !field || bytes <= field->elementBytes ||
      bytes <= WordBytes)
    return;
  const std::uint32_t promised = field->minAlign | (address - last->begin);
  if ((promised % bytes != 0 || (bytes == 16 && !field->interleaved)) &&
      !isTested(field))
    report(Check::Alignment, pc(), address, bytes, store);
}

void Checker::checkKnown(unsigned number, Address address, unsigned bytes,
                         bool isStack) {
  bool all = true, any = false;
  for (Address word = address / WordBytes * WordBytes; word < address + bytes;
       word += WordBytes) {
    const std::uint8_t mask = byteMask(word, address, bytes);
    const std::uint8_t known = wordAt(word)->known & mask;
    all &= known == mask;
    any |= known != 0;
  }
  // Structures have padding, which is copied with them.
  if (all || (isStack && any))
    return;
  if (bytes == WordBytes) {
    pending.push_back({number, 0, address, pc()});
    return;
  }
  report(Check::Uninit, pc(), address, bytes, false);
  written(address, bytes); // once is enough
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
  return std::move(findings);
}

void Checker::checkUse(Word &word, Address address, unsigned bytes, bool store,
                       bool isEdge) {
  const bool otherWrote = word.writer >= firstRun && word.writer != run;
  const bool otherRead = word.reader >= firstRun && word.reader != run;
  if (options[Check::Races] && (otherWrote || (store && otherRead))) {
    const std::uint32_t index =
        vertexOfRun[(otherWrote ? word.writer : word.reader) - firstRun];
    Finding::Place other =
        placeOf(index, otherWrote ? word.storedAt : word.loadedAt);
    other.what = describeAddress(executable, index, address);
    report(Check::Races, pc(), address, bytes, store, &other);
  }
  if (!store) {
    word.unread = false;
    if (word.reader < firstRun) {
      word.reader = run;
      word.loadedAt = pc();
    }
    return;
  }
  if (options[Check::DeadStores] && isEdge && word.unread &&
      word.writer == run) {
    const Finding::Place other = placeOf(vertex, word.storedAt);
    report(Check::DeadStores, pc(), address, bytes, store, &other);
  }
  word.writer = run;
  word.unread = true;
  word.storedAt = pc();
}

// ---- Reports ----------------------------------------------------------------

std::string Checker::describe(Address address) const {
  for (unsigned i = 0; i != NumWorkers + 1; ++i)
    if (address >= stackBegin(i) && address < stackEnd(i))
      return "the stack of " + contextName(i);
  return describeAddress(executable, vertex, address);
}

Address Checker::pc() const {
  return code->contains(slot) ? code->addressOf(slot) : 0;
}

Finding::Place Checker::placeOf(std::uint32_t index, Address pc) const {
  const Vertex &data = executable.vertices[index];
  return {executable.vertexTypes[data.type].name,
          data.state,
          {},
          pc,
          code->describe(pc),
          code->sourceLine(pc)};
}

void Checker::report(Check check, Address at, Address address, unsigned bytes,
                     bool store, const Finding::Place *other) {
  Finding finding;
  finding.check = check;
  finding.store = store;
  finding.address = address;
  finding.bytes = bytes;
  finding.place = placeOf(vertex, at);
  finding.place.what = describe(address);
  if (other)
    finding.other = *other;
  if (seen.insert(finding.key()).second)
    findings.push_back(std::move(finding));
}

} // namespace populus::runtime::emulator
