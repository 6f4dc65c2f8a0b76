// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects come from the archives that the graph's codelets were in; for IPUs,
// the device library beside libpoplar.so joins them.

#include "lib/Poplar/Lowering/CodeLowering.h"

#include "lib/Link/Linker.h"
#include "lib/Poplar/Support/Libraries.h"

#include <poplar/exceptions.hpp>

#include <elf.h>

#include <cstring>
#include <map>
#include <set>
#include <string_view>

namespace poplar::core {

namespace rt = populus::runtime;
using populus::archive::Archive;

namespace {

constexpr std::uint32_t StackAlign = 8;
constexpr std::uint64_t SmallestStack = 32;

// ---- Host code --------------------------------------------------------------

template <typename T>
bool readAt(const std::vector<std::uint8_t> &bytes, std::uint64_t offset,
            T &value) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
    return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

/// Symbols that a host shared object defines for others.
std::set<std::string, std::less<>>
definedSymbols(const std::vector<std::uint8_t> &bytes) {
  std::set<std::string, std::less<>> names;
  Elf64_Ehdr header;
  if (!readAt(bytes, 0, header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return names;
  for (unsigned i = 0; i != header.e_shnum; ++i) {
    Elf64_Shdr symbols, strings;
    if (!readAt(bytes, header.e_shoff + i * sizeof(symbols), symbols) ||
        symbols.sh_type != SHT_DYNSYM ||
        !readAt(bytes, header.e_shoff + symbols.sh_link * sizeof(strings),
                strings))
      continue;
    for (std::uint64_t at = 0; at < symbols.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      if (!readAt(bytes, symbols.sh_offset + at, symbol))
        break;
      const std::uint64_t name = strings.sh_offset + symbol.st_name;
      if (symbol.st_shndx == SHN_UNDEF || name >= bytes.size())
        continue;
      const char *text = reinterpret_cast<const char *>(bytes.data() + name);
      names.emplace(text, strnlen(text, bytes.size() - name));
    }
  }
  return names;
}

/// Finds the object of an archive that defines a symbol.
class HostObjects {
public:
  explicit HostObjects(Draft &draft) : draft(draft) {}

  std::uint32_t find(std::uint32_t archive, const std::string &symbol) {
    auto [known, isNew] = objects.try_emplace(archive);
    if (isNew)
      for (const auto &object : draft.graph.archives[archive]->objects)
        if (object.target == draft.codeTarget())
          known->second.push_back(
              {&object.bytes, definedSymbols(object.bytes), None});
    for (HostObject &object : known->second) {
      if (!object.symbols.contains(symbol))
        continue;
      if (object.id == None) {
        object.id = static_cast<std::uint32_t>(draft.exe.hostObjects.size());
        draft.exe.hostObjects.push_back(*object.bytes);
      }
      return object.id;
    }
    return None;
  }

private:
  struct HostObject {
    const std::vector<std::uint8_t> *bytes;
    std::set<std::string, std::less<>> symbols;
    std::uint32_t id;
  };
  Draft &draft;
  std::map<std::uint32_t, std::vector<HostObject>> objects;
};

} // namespace

void lowerHostCode(Draft &draft) {
  HostObjects objects(draft);
  for (std::uint32_t type = 0; type != draft.exe.vertexTypes.size(); ++type) {
    const VertexType &source = draft.graph.vertexTypes[draft.graphTypeOf(type)];
    const std::string &symbol = source.description->entry;
    const std::uint32_t object = objects.find(source.archive, symbol);
    if (object == None)
      throw link_error("the host code of vertex type '" +
                       source.description->name +
                       "' does not define its entry point " + symbol);
    draft.exe.hostEntries.push_back({object, symbol});
  }
  // Host entries are in the order of the vertex types.
  for (rt::Vertex &vertex : draft.exe.vertices)
    vertex.entry = vertex.type;
}

// ---- Tile images ------------------------------------------------------------

namespace {

void addObjects(populus::link::Linker &linker, const Archive &archive,
                const std::string &target) {
  for (const auto &object : archive.objects)
    if (object.target == target)
      linker.addObject(object.source, object.bytes);
}

void addDeviceLibrary(populus::link::Linker &linker,
                      const std::string &target) {
  const auto path = libraryFolder() / "populus" / "device.gp";
  if (!std::filesystem::exists(path))
    return;
  const SharedArchive library = readArchive(path, target);
  for (const auto &object : library->objects)
    if (object.target == target)
      linker.addLibraryObject(object.source, object.bytes);
}

/// Lays out stacks behind the code, the same for all tiles with that image. The
/// stacks of workers and of the supervisor have at least `needed` bytes.
rt::TileSetup layOutStacks(std::uint32_t image, Address begin,
                           std::uint64_t needed, const StackBytes &least,
                           bool hasSupervisors, std::uint32_t &bytes) {
  const auto sizeOfStack = [&](std::uint64_t leastBytes) {
    return static_cast<std::uint32_t>(
        alignUp(std::max({needed, leastBytes, SmallestStack}), StackAlign));
  };
  const std::uint32_t stack = sizeOfStack(least.worker);
  rt::TileSetup setup;
  setup.image = image;
  setup.stackBegin = begin;
  Address end = begin;
  for (Address &base : setup.workerBase) {
    base = end + stack;
    end = base + rt::WorkerScratchBytes;
  }
  if (hasSupervisors)
    end += sizeOfStack(least.supervisor);
  setup.supervisorStack = end;
  bytes = end - begin;
  return setup;
}

struct LinkedSet {
  std::uint32_t setup = None;
  FixedMemory memory;
  std::map<std::uint32_t, Address> entries; // by vertex type
};

LinkedSet linkSet(Draft &draft, const populus::link::Linker &linker,
                  const std::vector<std::uint32_t> &types,
                  const StackBytes &least) {
  std::vector<std::string> roots;
  bool hasSupervisors = false;
  for (std::uint32_t type : types) {
    roots.push_back(
        draft.graph.vertexTypes[draft.graphTypeOf(type)].description->entry);
    hasSupervisors |=
        draft.exe.vertexTypes[type].kind == rt::VertexKind::Supervisor;
  }
  populus::link::LinkedImage linked = linker.link(roots);
  LinkedSet result;
  for (std::size_t i = 0; i != types.size(); ++i)
    result.entries[types[i]] = linked.entries.at(roots[i]);
  result.memory.code = static_cast<std::uint32_t>(
      alignUp(linked.image.bytes.size(), StackAlign));
  const auto image = static_cast<std::uint32_t>(draft.exe.images.size());
  const rt::TileSetup setup = layOutStacks(
      image, linked.image.base + result.memory.code, linked.stackBytes, least,
      hasSupervisors, result.memory.stacks);
  draft.exe.tileSetups.push_back(setup);
  result.setup = static_cast<std::uint32_t>(draft.exe.tileSetups.size() - 1);
  draft.exe.images.push_back(std::move(linked.image));
  return result;
}

} // namespace

std::vector<FixedMemory> linkTileImages(Draft &draft, const StackBytes &least) {
  std::vector<FixedMemory> fixed(draft.tiles.size());
  draft.exe.tileSetup.assign(draft.tiles.size(), None);
  if (draft.exe.vertexTypes.empty())
    return fixed;

  std::map<std::vector<std::uint32_t>, LinkedSet> sets;
  try {
    populus::link::Linker linker(*draft.target.info);
    for (const core::SharedArchive &archive : draft.graph.archives)
      addObjects(linker, *archive, draft.exe.target);
    addDeviceLibrary(linker, draft.exe.target);
    for (std::uint32_t tile = 0; tile != draft.tiles.size(); ++tile) {
      const auto &types = draft.tiles[tile].vertexTypes;
      if (types.empty())
        continue;
      auto [set, isNew] = sets.try_emplace(types);
      if (isNew)
        set->second = linkSet(draft, linker, types, least);
      fixed[tile] = set->second.memory;
      draft.exe.tileSetup[tile] = set->second.setup;
    }
  } catch (const populus::link::LinkError &error) {
    throw link_error(std::string("the code of the tiles cannot be linked: ") +
                         error.what(),
                     error.what());
  } catch (const populus::archive::ArchiveError &error) {
    throw file_load_error(error.what());
  }
  for (const rt::TileVertices &list : draft.exe.tileVertices) {
    const LinkedSet &set = sets.at(draft.tiles[list.tile].vertexTypes);
    for (std::uint32_t i = 0; i != list.vertices.count; ++i) {
      rt::Vertex &vertex = draft.exe.vertices[list.vertices.first + i];
      vertex.entry = set.entries.at(vertex.type);
    }
  }
  return fixed;
}

} // namespace poplar::core
