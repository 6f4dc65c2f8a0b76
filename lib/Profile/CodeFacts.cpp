// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a codelet is the range of its symbol, and the functions that it
// calls or starts workers with. Backward branches and hardware loops form
// loops; the body lies between target and branch.

#include "lib/Profile/CodeFacts.h"

#include "runtime/Emulator/Code/Assembly.h"
#include "runtime/Emulator/Code/Decode.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace populus::profile {

using namespace runtime;

namespace {

/// Maximum number of instructions of a codelet in a report.
constexpr int MostLines = 2000;

/// The stack pointer of the calling convention.
constexpr std::uint8_t StackPointer = 11;

bool usesStack(const emulator::RowInfo &row, const emulator::Operands &values) {
  if (row.facts.addressing != emulator::Addressing::Immediate &&
      row.facts.addressing != emulator::Addressing::Offset)
    return false;
  // Values that are stored never come from the stack pointer.
  for (std::uint8_t i = 0; i != row.numOperands; ++i)
    if (row.operands[i].kind == emulator::OperandKind::MRead &&
        values.r[row.operands[i].slot] == StackPointer)
      return true;
  return false;
}

/// An instruction is idle if it has no operands and falls through, or if its
/// result goes to a register that ignores writes.
bool isIdle(const emulator::RowInfo &row, const emulator::Operands &values) {
  if (row.facts.flow != emulator::Flow::Next || row.isSystem ||
      row.facts.workers != emulator::Workers::None ||
      row.facts.access != emulator::AccessKind::None)
    return false;
  bool writes = false;
  for (std::uint8_t i = 0; i != row.numOperands; ++i) {
    const emulator::OperandInfo &operand = row.operands[i];
    const bool isMain = operand.kind == emulator::OperandKind::MWrite;
    if (!isMain && operand.kind != emulator::OperandKind::AWrite)
      continue;
    writes = true;
    if (values.r[operand.slot] < (isMain ? emulator::SpareM : emulator::SpareA))
      return false;
  }
  return writes || row.numOperands == 0;
}

/// Pipes of a bundle, as in CodeLine::pipes.
std::uint32_t pipesOf(const emulator::DecodedSlot &slot) {
  std::uint32_t pipes = 0;
  const auto add = [&](const emulator::RowInfo &row,
                       const emulator::Operands &values) {
    if (!isIdle(row, values))
      pipes |= row.isAux ? 2 : 1;
  };
  add(*slot.main, slot.mainOperands);
  if (slot.aux)
    add(*slot.aux, slot.auxOperands);
  return pipes;
}

class Function {
public:
  Function(const CodeImage &image, const Symbol &symbol)
      : image(image), symbol(symbol) {
    const Address end = std::min<Address>(symbol.address + symbol.size,
                                          image.base + image.textBytes);
    for (Address address = symbol.address; address < end;) {
      const std::size_t index = (address - image.base) / 4;
      const auto slot = emulator::decodeSlot(image, index);
      const unsigned words = slot ? std::max(slot->length(), 1U) : 1;
      lines.push_back({address, words, slot && goesToStack(*slot),
                       slot ? pipesOf(*slot) : 0});
      if (slot) {
        addBranch(address, *slot);
        addConstant(*slot);
      }
      address += 4 * words;
    }
  }

  /// Targets of branches and calls outside of the function.
  const std::vector<Address> &leads() const { return calls; }

  void describe(report::VertexType &type) const {
    type.set_code_bytes(type.code_bytes() + symbol.size);
    for (const Line &line : lines) {
      if (type.code_size() == MostLines)
        return;
      report::CodeLine &entry = *type.add_code();
      if (line.address == symbol.address)
        entry.set_function(symbol.name);
      const std::size_t index = (line.address - image.base) / 4;
      const std::uint32_t word = emulator::wordOf(image, index);
      entry.set_address(line.address);
      entry.set_assembly(
          line.words == 2
              ? emulator::assemblyOf(word, emulator::wordOf(image, index + 1))
              : emulator::assemblyOf(word));
      entry.set_uses_stack(line.usesStack);
      entry.set_pipes(line.pipes);
      entry.set_loops(static_cast<std::uint32_t>(
          std::count_if(loops.begin(), loops.end(), [&](const Loop &loop) {
            return loop.first <= line.address && line.address <= loop.last;
          })));
      if (const SourceLine *source = sourceOf(line.address))
        addSource(*source, entry, type);
    }
  }

  /// Adds counts to the lines of the type from `next` on. Returns the index
  /// after them.
  int addCounts(std::span<const InstructionCount> counts, int next,
                report::VertexType &type) const {
    for (const Line &line : lines) {
      if (next == type.code_size())
        return next;
      const InstructionCount &count = counts[(line.address - image.base) / 4];
      report::CodeLine &entry = *type.mutable_code(next++);
      entry.set_times(entry.times() + count.times);
      entry.set_cycles(entry.cycles() + count.cycles);
    }
    return next;
  }

private:
  struct Line {
    Address address;
    unsigned words;
    bool usesStack;
    std::uint32_t pipes;
  };
  struct Loop {
    Address first, last;
  };

  static bool goesToStack(const emulator::DecodedSlot &slot) {
    return usesStack(*slot.main, slot.mainOperands) ||
           (slot.aux && usesStack(*slot.aux, slot.auxOperands));
  }

  /// A supervisor holds the start address of its workers in a register.
  void addConstant(const emulator::DecodedSlot &slot) {
    const emulator::RowInfo &row = *slot.main;
    if (row.numOperands != 2 ||
        row.operands[0].kind != emulator::OperandKind::MWrite ||
        row.operands[1].kind != emulator::OperandKind::Unsigned)
      return;
    const auto value = static_cast<Address>(slot.mainOperands.imm);
    const auto named = std::lower_bound(
        image.symbols.begin(), image.symbols.end(), value,
        [](const Symbol &other, Address a) { return other.address < a; });
    if (named != image.symbols.end() && named->address == value &&
        value - image.base < image.textBytes)
      calls.push_back(value);
  }

  void addBranch(Address address, const emulator::DecodedSlot &slot) {
    if (emulator::isRepeat(slot)) {
      const Address first = address + 4 * slot.length();
      const Address bytes = 8 * emulator::repeatedBundles(slot);
      if (bytes != 0)
        loops.push_back({first, first + bytes - 4});
      return;
    }
    const auto target = emulator::branchTarget(slot);
    if (!target)
      return;
    if (*target - symbol.address >= symbol.size)
      calls.push_back(*target);
    else if (*target <= address)
      loops.push_back({*target, address});
  }

  const SourceLine *sourceOf(Address address) const {
    const auto after = std::upper_bound(
        image.lines.begin(), image.lines.end(), address,
        [](Address a, const SourceLine &line) { return a < line.address; });
    if (after == image.lines.begin() || (after - 1)->file == None)
      return nullptr;
    return &*(after - 1);
  }

  /// The first file of a codelet is its own; headers may follow.
  void addSource(const SourceLine &source, report::CodeLine &entry,
                 report::VertexType &type) const {
    const std::string &file = image.files[source.file];
    if (type.source_file().empty()) {
      type.set_source_file(file);
      type.set_source_line(source.line);
    }
    if (type.source_file() == file)
      entry.set_line(source.line);
  }

  const CodeImage &image;
  const Symbol &symbol;
  std::vector<Line> lines;
  std::vector<Loop> loops;
  std::vector<Address> calls;
};

/// The symbol that covers an address, or null.
const Symbol *symbolAt(const CodeImage &image, Address address) {
  const auto after = std::upper_bound(
      image.symbols.begin(), image.symbols.end(), address,
      [](Address a, const Symbol &symbol) { return a < symbol.address; });
  for (auto symbol = after; symbol != image.symbols.begin();) {
    --symbol;
    if (address - symbol->address < symbol->size)
      return &*symbol;
    if (symbol->size != 0)
      break;
  }
  return nullptr;
}

/// Calls use(function) for the function at an address and all functions
/// reachable from it, in a deterministic order.
template <typename Use>
void forEachFunction(const CodeImage &image, Address entry, Use use) {
  std::vector<const Symbol *> seen;
  const auto see = [&](Address address) {
    const Symbol *symbol = symbolAt(image, address);
    if (symbol && symbol->address >= image.base &&
        std::find(seen.begin(), seen.end(), symbol) == seen.end())
      seen.push_back(symbol);
  };
  see(entry);
  for (std::size_t i = 0; i != seen.size(); ++i) {
    const Function function(image, *seen[i]);
    use(function);
    for (Address address : function.leads())
      see(address);
  }
}

} // namespace

void describeCode(const CodeImage &image, Address entry,
                  report::VertexType &type) {
  forEachFunction(image, entry,
                  [&](const Function &function) { function.describe(type); });
}

void addCounts(const CodeImage &image, Address entry,
               std::span<const InstructionCount> counts,
               report::VertexType &type) {
  int next = 0;
  forEachFunction(image, entry, [&](const Function &function) {
    next = function.addCounts(counts, next, type);
  });
}

} // namespace populus::profile
