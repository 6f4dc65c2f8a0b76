// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Session/FabricCopies.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

namespace populus::runtime {

FabricCopies::FabricCopies(const Executable &program, const Exchange &exchange,
                           std::uint32_t tilesPerProcess, const Fabric &fabric)
    : tilesPerProcess(tilesPerProcess), index(fabric.index()),
      sends(fabric.size()), receives(fabric.size()) {
  for (const CopyPiece &piece : program.piecesOf(exchange))
    program.forEachPart(
        piece, [&](const CopyPiece &part) { addCopies(program, part); });
}

void FabricCopies::addCopies(const Executable &program, const CopyPiece &part) {
  const unsigned source = part.srcTile / tilesPerProcess;
  std::map<unsigned, std::uint64_t> sent; // by process, the offset
  program.forEachCopy(part, [&](const CopyPiece &copy) {
    const unsigned destination = copy.dstTile / tilesPerProcess;
    if (source == destination) {
      if (source == index)
        local.push_back(copy);
      return;
    }
    hasCrossing = true;
    if (source != index && destination != index)
      return;
    Message &message = source == index ? sends[destination] : receives[source];
    const auto [place, isNew] = sent.try_emplace(destination, message.bytes);
    if (isNew)
      message.bytes += copy.bytes;
    if (source != index)
      message.places.push_back(
          {copy.dstTile, copy.dst, copy.bytes, place->second});
    else if (isNew)
      message.places.push_back(
          {copy.srcTile, copy.src, copy.bytes, place->second});
  });
}

void FabricCopies::run(Fabric &fabric, const DeviceMemory &memory,
                       WorkerPool &pool) const {
  if (hasCrossing) {
    std::vector<std::vector<std::byte>> out, in;
    for (const Message &message : sends) {
      std::vector<std::byte> &bytes = out.emplace_back(message.bytes);
      for (const Place &from : message.places)
        std::memcpy(bytes.data() + from.offset,
                    memory.at(from.tile, from.address), from.bytes);
    }
    for (const Message &message : receives)
      in.emplace_back(message.bytes);
    fabric.exchange(out, in);
    // No destination of an exchange is a source, so local copies may follow.
    for (std::size_t from = 0; from != in.size(); ++from)
      for (const Place &to : receives[from].places)
        std::memcpy(memory.at(to.tile, to.address), in[from].data() + to.offset,
                    to.bytes);
  }
  const auto copyRange = [&](std::size_t first, std::size_t last, unsigned) {
    for (std::size_t i = first; i != last; ++i)
      std::memcpy(memory.at(local[i].dstTile, local[i].dst),
                  memory.at(local[i].srcTile, local[i].src), local[i].bytes);
  };
  pool.runRanges(local.size(), std::cref(copyRange));
}

} // namespace populus::runtime
