// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emulator code is identified by the linker's list of symbols and addresses of
// an image. Host objects must equal those of the archives, byte for byte.

#include "lib/Poplar/Verify/VertexCode.h"

#include "lib/Poplar/Support/Types.h"

#include <algorithm>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

std::vector<std::uint32_t>
archivesWith(const GraphImpl &graph, const std::vector<std::uint8_t> &object) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t a = 0; a != graph.archives.size(); ++a)
    for (const auto &each : graph.archives[a]->objects)
      if (each.target == "cpu" && each.bytes == object)
        list.push_back(a);
  return list;
}

} // namespace

VertexCode::VertexCode(const GraphImpl &graph, const rt::Executable &exe)
    : exe(exe) {
  for (const std::vector<std::uint8_t> &object : exe.hostObjects)
    archives.push_back(archivesWith(graph, object));
}

std::string VertexCode::problemOf(std::uint32_t tile, const rt::Vertex &vertex,
                                  const VertexType &type) const {
  if (exe.vertexTypes[vertex.type].kind != type.description->kind)
    return "it is launched as another kind of vertex than '" +
           type.description->name + "' is";
  return exe.device == rt::DeviceKind::Ipu
             ? problemOnTile(tile, vertex.entry, type.description->entry)
             : problemOnHost(vertex.entry, type);
}

std::string VertexCode::problemOnTile(std::uint32_t tile, std::uint32_t address,
                                      const std::string &entry) const {
  if (tile >= exe.tileSetup.size() || exe.tileSetup[tile] == None)
    return "its tile has no code";
  const auto &symbols =
      exe.images[exe.tileSetups[exe.tileSetup[tile]].image].symbols;
  auto at =
      std::lower_bound(symbols.begin(), symbols.end(), address,
                       [](const rt::Symbol &symbol, std::uint32_t wanted) {
                         return symbol.address < wanted;
                       });
  std::string found = "no function";
  for (; at != symbols.end() && at->address == address; ++at) {
    if (at->name == entry)
      return {};
    found = at->name;
  }
  return "it runs " + found + ", not " + entry;
}

std::string VertexCode::problemOnHost(std::uint32_t entry,
                                      const VertexType &type) const {
  if (entry >= exe.hostEntries.size())
    return "it runs no function of the host";
  const rt::HostEntry &function = exe.hostEntries[entry];
  if (function.symbol != type.description->entry)
    return "it runs " + function.symbol + ", not " + type.description->entry;
  if (function.object >= archives.size() ||
      std::ranges::find(archives[function.object], type.archive) ==
          archives[function.object].end())
    return "it runs " + function.symbol + " of other codelets";
  return {};
}

} // namespace poplar::core
