// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols across objects, the sections that roots reach, their layout, and
// relocation. Everything is done in the order of roots, objects and
// relocations, so that the same input gives the same image.

#include "lib/Link/Linker.h"

#include "lib/Link/DebugSections.h"
#include "lib/Link/FunctionLists.h"
#include "lib/Link/LineTable.h"
#include "lib/Link/ObjectFile.h"
#include "lib/Link/StackDepth.h"
#include "runtime/Target/RepeatCounter.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

namespace populus::link {

using runtime::Address;

namespace {

struct GlobalSymbol {
  SymbolRef definition;
  bool isWeak = false;
  /// Another strong definition, which is an error if the symbol is used.
  std::vector<std::uint32_t> otherObjects;
};

constexpr std::uint32_t TextAlign = 4;
/// Beyond this an image is a mistake; below, the graph compiler can say which
/// tile it does not fit.
constexpr std::uint64_t LargestImage = 64 << 20;

std::uint32_t alignUp(std::uint64_t value, std::uint32_t alignment) {
  return static_cast<std::uint32_t>((value + alignment - 1) / alignment *
                                    alignment);
}

/// All objects, and what they define for each other.
struct LoadedObjects {
  const runtime::TargetInfo &target;
  std::vector<ObjectFile> objects;
  std::unordered_map<std::string, GlobalSymbol> globals;
  /// Parts of lists of functions, in the order in which they run.
  std::multimap<ListPart, SectionRef> functionLists;
  StackRecords stackRecords;

  explicit LoadedObjects(const runtime::TargetInfo &target) : target(target) {}

  const Section &section(SectionRef ref) const {
    return objects[ref.object].sections[ref.section];
  }
  const Symbol &symbol(SymbolRef ref) const {
    return objects[ref.object].symbols[ref.symbol];
  }
  std::string describe(SectionRef ref) const {
    return "section '" + section(ref).name + "' of object '" +
           objects[ref.object].name + "'";
  }

  void add(ObjectFile object);
  void addGlobals(std::uint32_t index);
  void addFunctionLists(std::uint32_t index);
  const GlobalSymbol *findGlobal(const std::string &name) const;
  SymbolRef resolve(SymbolRef ref, const std::string &user) const;
  SymbolRef lookUp(SymbolRef ref) const;
};

void LoadedObjects::add(ObjectFile object) {
  const auto index = static_cast<std::uint32_t>(objects.size());
  objects.push_back(std::move(object));
  addGlobals(index);
  addFunctionLists(index);
  stackRecords.add(index, objects[index]);
}

void LoadedObjects::addFunctionLists(std::uint32_t index) {
  std::vector<Section> &sections = objects[index].sections;
  for (std::uint32_t i = 0; i != sections.size(); ++i)
    if (const std::optional<ListPart> part = partOfList(sections[i].name)) {
      const SectionRef ref = {index, i};
      // The sections stand side by side, as one list.
      if (sections[i].size % sizeof(Address) != 0 ||
          sections[i].align > sizeof(Address))
        throw LinkError(describe(ref) + " is not a list of addresses");
      sections[i].executable = false;
      sections[i].writable = true;
      functionLists.emplace(*part, ref);
    }
}

void LoadedObjects::addGlobals(std::uint32_t index) {
  const ObjectFile &object = objects[index];
  for (std::uint32_t i = 0; i != object.symbols.size(); ++i) {
    const Symbol &symbol = object.symbols[i];
    if (symbol.isLocal || !symbol.isDefined())
      continue;
    const auto [place, isNew] = globals.try_emplace(symbol.name);
    GlobalSymbol &global = place->second;
    if (isNew || (global.isWeak && !symbol.isWeak)) {
      global.definition = {index, i};
      global.isWeak = symbol.isWeak;
    } else if (!symbol.isWeak) {
      global.otherObjects.push_back(index);
    }
  }
}

const GlobalSymbol *LoadedObjects::findGlobal(const std::string &name) const {
  const auto found = globals.find(name);
  if (found == globals.end())
    return nullptr;
  const GlobalSymbol &global = found->second;
  if (!global.otherObjects.empty())
    throw LinkError("symbol '" + name + "' is defined in objects '" +
                    objects[global.definition.object].name + "' and '" +
                    objects[global.otherObjects.front()].name +
                    "'; rename one, or make it static");
  return &global;
}

/// The definition that a symbol of an object stands for; `user` says in a
/// message who refers to it. An undefined weak symbol is its own definition.
SymbolRef LoadedObjects::resolve(SymbolRef ref, const std::string &user) const {
  const Symbol &used = symbol(ref);
  if (used.isLocal && used.isDefined())
    return ref;
  if (const GlobalSymbol *global = findGlobal(used.name))
    return global->definition;
  if (used.isWeak)
    return ref;
  throw LinkError("symbol '" + used.name + "', which " + user +
                  " uses, is not defined: no object has it, nor the device "
                  "library");
}

/// Looks up a symbol that need not be used, and so may be undefined or defined
/// twice.
SymbolRef LoadedObjects::lookUp(SymbolRef ref) const {
  const Symbol &used = symbol(ref);
  if (used.isLocal && used.isDefined())
    return ref;
  const auto found = globals.find(used.name);
  return found == globals.end() ? ref : found->second.definition;
}

/// One image in the making.
class ImageLinker {
public:
  ImageLinker(const LoadedObjects &all, std::span<const std::string> roots,
              Purpose purpose)
      : all(all), roots(roots), purpose(purpose) {}

  LinkedImage link() {
    for (const std::string &root : roots)
      addRoot(root);
    if (purpose == Purpose::Program)
      for (const auto &[part, ref] : all.functionLists)
        keep(ref);
    for (std::size_t i = 0; i != kept.size(); ++i)
      keepReferenced(kept[i]);
    if (purpose == Purpose::Codelets)
      for (const auto &[part, ref] : all.functionLists)
        refuseUseOfWhatIsSetUpBy(ref);
    layOut();
    for (SectionRef ref : kept)
      relocate(ref);
    addSymbols();
    addLines();
    measureStack();
    for (const std::string &root : roots)
      result.entries[root] = addressOf(rootSymbols[root]);
    return std::move(result);
  }

private:
  void addRoot(const std::string &root) {
    const GlobalSymbol *global = all.findGlobal(root);
    if (!global)
      throw LinkError("entry point '" + root + "' is not defined");
    rootSymbols[root] = global->definition;
    keep(global->definition);
  }

  /// Keeps the section that a symbol is in.
  void keep(SymbolRef ref) {
    const Symbol &symbol = all.symbol(ref);
    if (symbol.section == NoSection)
      return;
    keep(SectionRef{ref.object, symbol.section});
  }

  void keep(SectionRef section) {
    if (all.section(section).allocated &&
        addresses.try_emplace(section, 0).second)
      kept.push_back(section);
  }

  void keepReferenced(SectionRef ref) {
    // A copy, for keep() appends to the list that the reference is in.
    const Section &section = all.section(ref);
    for (const Relocation &relocation : section.relocations)
      keep(all.resolve({ref.object, relocation.symbol}, all.describe(ref)));
  }

  /// Nothing runs before codelets: they must not use the variables that the
  /// functions of a list refer to.
  void refuseUseOfWhatIsSetUpBy(SectionRef list) const {
    std::set<SectionRef> seen = {list};
    std::vector<SectionRef> queue = {list};
    while (!queue.empty()) {
      const SectionRef from = queue.back();
      queue.pop_back();
      for (const Relocation &relocation : all.section(from).relocations) {
        const SymbolRef used = all.lookUp({from.object, relocation.symbol});
        const SectionRef to = {used.object, all.symbol(used).section};
        if (to.section == NoSection || !seen.insert(to).second)
          continue;
        if (to.object == list.object && all.section(to).writable &&
            addresses.contains(to))
          throw LinkError(all.describe(to) +
                          " is set up by a constructor or destroyed by a "
                          "destructor, which does not happen where codelets "
                          "run; give its objects constant initialisers");
        queue.push_back(to);
      }
    }
  }

  /// Instructions first, then constants, lists of functions and variables, each
  /// in the order in which they were reached.
  void layOut() {
    std::stable_sort(kept.begin(), kept.end(), [&](SectionRef a, SectionRef b) {
      return rank(all.section(a)) < rank(all.section(b));
    });
    result.image.base = all.target.regions[0].begin;
    result.image.accumulatorSets = all.target.accumulatorSets;
    std::uint64_t end = result.image.base;
    for (SectionRef ref : kept) {
      const Section &section = all.section(ref);
      const std::uint32_t align = section.executable
                                      ? std::max(section.align, TextAlign)
                                      : section.align;
      addresses[ref] = alignUp(end, align);
      end = std::uint64_t(addresses[ref]) + section.size;
      if (end - result.image.base > LargestImage)
        throw LinkError("the code is larger than any tile's memory: with " +
                        all.describe(ref) + " it has " +
                        std::to_string(end - result.image.base) + " bytes");
      if (section.executable)
        result.image.textBytes = alignUp(end - result.image.base, TextAlign);
    }
    boundLists();
    result.image.bytes.resize(std::max<std::uint64_t>(end - result.image.base,
                                                      result.image.textBytes));
    for (SectionRef ref : kept) {
      const Section &section = all.section(ref);
      std::copy(section.bytes.begin(), section.bytes.end(),
                result.image.bytes.begin() +
                    (addresses[ref] - result.image.base));
    }
  }

  static int rank(const Section &section) {
    if (section.executable)
      return 0;
    if (!section.writable)
      return 1;
    const std::optional<ListPart> part = partOfList(section.name);
    return part ? 2 + static_cast<int>(part->list) : 4;
  }

  void boundLists() {
    for (const auto &[part, ref] : all.functionLists) {
      const auto address = addresses.find(ref);
      if (address == addresses.end())
        continue;
      const FunctionList &list = FunctionLists[part.list];
      bounds.try_emplace(list.begin, address->second);
      bounds[list.end] = address->second + all.section(ref).size;
    }
  }

  Address addressOf(SymbolRef ref) const {
    const Symbol &symbol = all.symbol(ref);
    if (const auto bound = bounds.find(symbol.name);
        bound != bounds.end() && !symbol.isDefined())
      return bound->second;
    if (symbol.section == NoSection)
      return symbol.value; // absolute, or weak and undefined: 0
    const SectionRef section = {ref.object, symbol.section};
    const auto address = addresses.find(section);
    if (address == addresses.end())
      throw LinkError("symbol '" + symbol.name + "' is in " +
                      all.describe(section) + ", which is not loaded");
    return address->second + symbol.value;
  }

  void relocate(SectionRef ref) {
    for (const Relocation &relocation : all.section(ref).relocations)
      if (relocation.type->bytes != 0)
        apply(ref, relocation);
  }

  void apply(SectionRef ref, const Relocation &relocation) {
    const runtime::elf::RelocationInfo &type = *relocation.type;
    const SymbolRef definition =
        all.resolve({ref.object, relocation.symbol}, all.describe(ref));
    std::int64_t value =
        std::int64_t(addressOf(definition)) + relocation.addend;
    if (type.relativeToRegion0)
      value -= all.target.regions[0].begin;
    const auto fail = [&](const std::string &problem) {
      throw LinkError(std::string(type.name) + " relocation in " +
                      all.describe(ref) + " at offset " +
                      std::to_string(relocation.offset) + ": symbol '" +
                      all.symbol(definition).name + "' has the value " +
                      std::to_string(value) + ", which " + problem);
    };
    if (value & ((std::int64_t(1) << type.shift) - 1))
      fail("is not a multiple of " + std::to_string(1 << type.shift));
    const std::int64_t scaled = value >> type.shift;
    // Data may hold negative values; addresses in instructions may not.
    const bool isData = type.bits == 8 * type.bytes;
    const std::int64_t least =
        isData ? -(std::int64_t(1) << (type.bits - 1)) : 0;
    if (scaled < least || scaled >= std::int64_t(1) << type.bits)
      fail("does not fit in " + std::to_string(type.bits) + " bits");
    patch(addresses.at(ref) + relocation.offset, type,
          static_cast<std::uint32_t>(scaled));
  }

  void patch(Address address, const runtime::elf::RelocationInfo &type,
             std::uint32_t value) {
    std::uint8_t *place =
        result.image.bytes.data() + (address - result.image.base);
    std::uint32_t word = 0;
    std::memcpy(&word, place, type.bytes);
    const auto mask =
        static_cast<std::uint32_t>((std::uint64_t(1) << type.bits) - 1);
    word = (word & ~mask) | (value & mask);
    std::memcpy(place, &word, type.bytes);
  }

  void addSymbols() {
    for (SectionRef ref : kept) {
      const ObjectFile &object = all.objects[ref.object];
      for (const Symbol &symbol : object.symbols)
        if (symbol.section == ref.section && symbol.isNamedThing &&
            !symbol.name.empty())
          result.image.symbols.push_back(
              {symbol.name, addresses.at(ref) + symbol.value, symbol.size});
    }
    std::stable_sort(result.image.symbols.begin(), result.image.symbols.end(),
                     [](const runtime::Symbol &a, const runtime::Symbol &b) {
                       return a.address < b.address;
                     });
  }

  std::optional<Address> addressInImage(SymbolRef ref) const {
    const Symbol &symbol = all.symbol(ref);
    const auto section = addresses.find({ref.object, symbol.section});
    if (section == addresses.end())
      return std::nullopt;
    return section->second + symbol.value;
  }

  /// The lines and the debug information of the code that was kept.
  void addLines() {
    std::map<std::uint32_t, std::vector<SectionRef>> byObject;
    for (SectionRef ref : kept)
      if (all.section(ref).executable)
        byObject[ref.object].push_back(ref);
    std::map<std::string, std::uint32_t> fileIds;
    DebugSections debug;
    for (const auto &[object, sections] : byObject) {
      addLines(object, LineTable::read(all.objects[object]), fileIds);
      debug.add(all.objects[object], [&, index = object](std::uint32_t symbol) {
        return addressInImage(all.lookUp({index, symbol}));
      });
    }
    result.image.debugSections = debug.take();
    // One function may begin at the end of another one: rows with a known line
    // go last, so that they are the ones that count.
    std::stable_sort(
        result.image.lines.begin(), result.image.lines.end(),
        [](const runtime::SourceLine &a, const runtime::SourceLine &b) {
          return std::pair(a.address, a.file != runtime::None) <
                 std::pair(b.address, b.file != runtime::None);
        });
  }

  void addLines(std::uint32_t object, const LineTable &table,
                std::map<std::string, std::uint32_t> &fileIds) {
    for (const LineRow &row : table.rows) {
      const auto section = addresses.find({object, row.section});
      // Line 0 is code that the compiler made up: it stays with the line
      // before.
      if (section == addresses.end() || (row.line == 0 && !row.isEnd))
        continue;
      runtime::SourceLine line;
      line.address = section->second + row.offset;
      if (!row.isEnd) {
        const auto [file, isNew] = fileIds.try_emplace(
            table.files[row.file],
            static_cast<std::uint32_t>(result.image.files.size()));
        if (isNew)
          result.image.files.push_back(file->first);
        line.file = file->second;
        line.line = row.line;
      }
      result.image.lines.push_back(line);
    }
  }

  void measureStack() {
    StackDepth depth(
        all.stackRecords,
        [&](SymbolRef symbol) -> std::optional<SectionRef> {
          const SymbolRef target = all.lookUp(symbol);
          const std::uint32_t section = all.symbol(target).section;
          if (section == NoSection)
            return std::nullopt;
          return SectionRef{target.object, section};
        },
        [&](SectionRef ref, const auto &use) {
          for (const Relocation &relocation : all.section(ref).relocations) {
            const SymbolRef target =
                all.resolve({ref.object, relocation.symbol}, all.describe(ref));
            const Symbol &symbol = all.symbol(target);
            if (boundsList(symbol.name)) // and calls what is in the list
              for (const auto &[part, list] : all.functionLists)
                use(list, false);
            if (symbol.section != NoSection)
              use({target.object, symbol.section},
                  relocation.type ==
                      &runtime::elf::Relocations[runtime::elf::R_IPU_CALL20]);
          }
        },
        [&](SectionRef ref) {
          if (purpose == Purpose::Codelets)
            throw LinkError("the stack of " + all.describe(ref) +
                            " has no limit, because it calls itself; recursion "
                            "is not possible in codelets");
          result.isRecursive = true;
        });
    for (const auto &[root, ref] : rootSymbols)
      result.stackBytes = std::max(
          result.stackBytes, depth.of({ref.object, all.symbol(ref).section}));
  }

  const LoadedObjects &all;
  std::span<const std::string> roots;
  const Purpose purpose;
  std::map<std::string, SymbolRef> rootSymbols;
  std::vector<SectionRef> kept;
  std::map<SectionRef, Address> addresses;
  std::map<std::string_view, Address, std::less<>> bounds; // of lists
  LinkedImage result;
};

} // namespace

namespace {

/// Returns why code for one target does not run on another one; empty if it
/// does.
std::string whyUnfit(unsigned archVersion, const runtime::TargetInfo &target) {
  if (archVersion > target.archVersion)
    return "which has instructions that " + std::string(target.name) + " lacks";
  const unsigned own = runtime::repeatBits(archVersion);
  const unsigned there = runtime::repeatBits(target.archVersion);
  if (archVersion != 0 && own != there)
    return "where rpt counts " + std::to_string(own) +
           " bits, which loops rely on, and on " + std::string(target.name) +
           " " + std::to_string(there);
  return "";
}

} // namespace

struct Linker::Impl {
  explicit Impl(const runtime::TargetInfo &target) : all(target) {}
  LoadedObjects all;
};

Linker::Linker(const runtime::TargetInfo &target)
    : impl(std::make_unique<Impl>(target)) {}
Linker::~Linker() = default;

void Linker::addObject(const std::string &name,
                       std::span<const std::uint8_t> bytes) {
  ObjectFile object = ObjectFile::parse(name, bytes);
  const runtime::TargetInfo &target = impl->all.target;
  if (const std::string why = whyUnfit(object.archVersion, target);
      !why.empty())
    throw LinkError("object '" + name + "' is for ipu" +
                    std::to_string(object.archVersion) + ", " + why +
                    "; compile it with --target=" + std::string(target.name));
  impl->all.add(std::move(object));
}

void Linker::addLibraryObject(const std::string &name,
                              std::span<const std::uint8_t> bytes) {
  ObjectFile object = ObjectFile::parse(name, bytes);
  for (Symbol &symbol : object.symbols)
    symbol.isWeak |= symbol.isDefined() && !symbol.isLocal;
  impl->all.add(std::move(object));
}

LinkedImage Linker::link(std::span<const std::string> roots,
                         Purpose purpose) const {
  return ImageLinker(impl->all, roots, purpose).link();
}

} // namespace populus::link
