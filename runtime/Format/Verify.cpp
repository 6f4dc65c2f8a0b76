// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per part of the executable, each trusting only what was checked
// before it: tables of tiles and images first, then what refers to them.

#include "runtime/Format/Verify.h"

#include "runtime/Format/VerifyChecks.h"

#include <algorithm>

namespace populus::runtime {

namespace {

/// More tiles than any machine of this kind has had.
constexpr std::uint64_t MostTiles = 1 << 18;
/// A faster clock than any.
constexpr double MostHertz = 1e12;

class Verifier : VerifyChecks {
public:
  explicit Verifier(const Executable &executable) : VerifyChecks(executable) {}

  void verifyAll() {
    verifyDevice();
    verifyImages();
    verifyTiles();
    verifyData();
    verifyHostCode();
    verifyVertices();
    verifyComputeSets();
    verifyExchanges(exe);
    verifyTensors();
    verifyStreams();
    verifyRemoteBuffers();
    verifyHostFunctions();
    verifySteps(exe);
    verifyReports();
  }

private:
  void verifyDevice() {
    if (!target)
      fail("unknown target '" + exe.target + "'");
    if (exe.device > DeviceKind::Ipu)
      fail("unknown kind of device");
    if ((exe.device == DeviceKind::Cpu) == target->isIpu())
      fail("target '" + exe.target + "' does not fit the kind of device");
    if (exe.device != DeviceKind::IpuModel && exe.model != ModelSettings())
      fail("settings of an IPU Model in a program for another device");
    if (!(exe.model.clockHz >= 0 && exe.model.clockHz <= MostHertz))
      fail("a model's clock of " + std::to_string(exe.model.clockHz) + " Hz");
    const std::uint64_t tiles = std::uint64_t(exe.numIpus) * exe.tilesPerIpu;
    if (tiles == 0 || tiles > MostTiles)
      fail(number(tiles) + " tiles");
  }

  void verifyImages() {
    for (std::size_t i = 0; i != exe.images.size(); ++i) {
      const CodeImage &image = exe.images[i];
      const std::uint64_t text = std::uint64_t(image.base) + image.textBytes;
      const std::uint64_t end = image.base + std::uint64_t(image.bytes.size());
      if (!isIpu())
        fail("a native program has a code image");
      if (image.base % 8 != 0 || image.textBytes % 4 != 0 ||
          image.textBytes > image.bytes.size() ||
          image.base < target->regions[0].begin ||
          text > target->regions[0].end || end > target->regions[1].end)
        fail("code image " + number(i) +
             " does not lie in the memory of a "
             "tile");
    }
    for (const CodeImage &image : exe.images)
      verifyLines(image);
    for (std::size_t i = 0; i != exe.tileSetups.size(); ++i)
      if (exe.tileSetups[i].image != None)
        checkIndex(exe.tileSetups[i].image, exe.images.size(), "tile setup", i);
  }

  static void verifyLines(const CodeImage &image) {
    for (std::size_t i = 0; i != image.lines.size(); ++i) {
      const SourceLine &line = image.lines[i];
      if (line.file != None)
        checkIndex(line.file, image.files.size(), "source line", i);
      if (i != 0 && line.address < image.lines[i - 1].address)
        fail("the source lines of a code image are not in order");
    }
  }

  void verifyTiles() {
    const std::size_t tiles = exe.numTiles();
    if (!exe.tileSetup.empty() && exe.tileSetup.size() != tiles)
      fail("setups for " + number(exe.tileSetup.size()) + " of " +
           number(tiles) + " tiles");
    if ((!isIpu() || !exe.memoryEnd.empty()) && exe.memoryEnd.size() != tiles)
      fail("memory sizes for " + number(exe.memoryEnd.size()) + " of " +
           number(tiles) + " tiles");
    for (std::size_t tile = 0; tile != exe.tileSetup.size(); ++tile)
      if (exe.tileSetup[tile] != None)
        checkIndex(exe.tileSetup[tile], exe.tileSetups.size(), "tile", tile);
    if (!isIpu())
      return;
    // Stacks are only addresses to the runtime; the code that uses them is
    // checked access by access.
    for (std::size_t i = 0; i != exe.tileSetups.size(); ++i)
      for (Address base : exe.tileSetups[i].workerBase)
        if (base % 4 != 0)
          fail("tile setup " + number(i) + " has a misaligned worker base");
  }

  void verifyData() {
    for (std::size_t i = 0; i != exe.data.size(); ++i) {
      const DataBlock &block = exe.data[i];
      checkIndex(block.payload, exe.payloads.size(), "data block", i);
      const std::uint64_t size = exe.payloads[block.payload].contents().size();
      if (block.offset > size || block.bytes > size - block.offset)
        fail("data block " + number(i) + " reads past the end of its payload");
      checkWritable(block.tile, block.address, block.bytes, "data block", i);
    }
  }

  void verifyHostCode() {
    if (isIpu() && !(exe.hostObjects.empty() && exe.hostEntries.empty() &&
                     exe.pointerSlots.empty()))
      fail("an IPU program has host code");
    for (std::size_t i = 0; i != exe.hostEntries.size(); ++i)
      checkIndex(exe.hostEntries[i].object, exe.hostObjects.size(),
                 "host entry", i);
    for (std::size_t i = 0; i != exe.pointerSlots.size(); ++i)
      checkPlace(exe.pointerSlots[i].tile, exe.pointerSlots[i].slot, 8,
                 "pointer slot", i);
  }

  void verifyVertices() {
    for (std::size_t i = 0; i != exe.vertexTypes.size(); ++i)
      verifyVertexType(i);
    for (std::size_t i = 0; i != exe.vertices.size(); ++i)
      checkIndex(exe.vertices[i].type, exe.vertexTypes.size(), "vertex", i);
    checkRanges(
        exe.tileVertices,
        [](const TileVertices &tile) { return tile.vertices; },
        exe.vertices.size(), "vertex list");
    for (std::size_t i = 0; i != exe.tileVertices.size(); ++i) {
      const TileVertices &tile = exe.tileVertices[i];
      checkIndex(tile.tile, exe.numTiles(), "vertex list", i);
      for (std::uint32_t k = 0; k != tile.vertices.count; ++k)
        verifyVertex(tile.tile, tile.vertices.first + k);
    }
    verifyRegions();
  }

  void verifyVertexType(std::size_t i) const {
    if (exe.vertexTypes[i].kind > VertexKind::Multi)
      fail("vertex type " + number(i) + " is of an unknown kind");
    for (const FieldInfo &field : exe.vertexTypes[i].fields)
      if (field.access > FieldAccess::InOut)
        fail("field '" + field.name + "' of vertex type " + number(i) +
             " is of an unknown kind");
  }

  // Regions are only compared with the addresses that a vertex uses.
  void verifyRegions() {
    if (exe.firstRegion.empty() && exe.regions.empty())
      return;
    if (exe.firstRegion.size() != exe.vertices.size())
      fail("regions for " + number(exe.firstRegion.size()) + " of " +
           number(exe.vertices.size()) + " vertices");
    for (std::size_t i = 0; i != exe.vertices.size(); ++i) {
      const std::uint64_t begin = exe.firstRegion[i];
      const std::uint64_t end = i + 1 == exe.vertices.size()
                                    ? exe.regions.size()
                                    : exe.firstRegion[i + 1];
      if (begin > end || end > exe.regions.size())
        fail("the regions of vertex " + number(i) + " are not in order");
      for (std::uint64_t k = begin; k != end; ++k)
        checkIndex(exe.regions[k].field(),
                   exe.vertexTypes[exe.vertices[i].type].fields.size(),
                   "region", k);
    }
  }

  void verifyVertex(std::uint32_t tile, std::uint32_t index) {
    const Vertex &vertex = exe.vertices[index];
    checkPlace(tile, vertex.state, exe.vertexTypes[vertex.type].stateBytes,
               "state of vertex", index);
    if (!isIpu()) {
      checkIndex(vertex.entry, exe.hostEntries.size(), "vertex", index);
      return;
    }
    const CodeImage *image = imageOf(tile);
    if (!image)
      fail("vertex " + number(index) + " is on tile " + number(tile) +
           ", which has no code");
    if (vertex.entry % 4 != 0 || vertex.entry < image->base ||
        vertex.entry >= image->base + image->textBytes)
      fail("the entry point of vertex " + number(index) +
           " is not in the code of tile " + number(tile));
    if (vertex.state % 4 != 0)
      fail("the state of vertex " + number(index) + " is misaligned");
  }

  void verifyComputeSets() {
    checkRanges(
        exe.computeSets, [](const ComputeSet &set) { return set.tiles; },
        exe.tileVertices.size(), "compute set");
    for (std::size_t i = 0; i != exe.computeSets.size(); ++i) {
      const Range tiles = exe.computeSets[i].tiles;
      for (std::uint32_t k = 1; k < tiles.count; ++k)
        if (exe.tileVertices[tiles.first + k - 1].tile >=
            exe.tileVertices[tiles.first + k].tile)
          fail("the tiles of compute set " + number(i) + " are not in order");
    }
  }

  void verifyTensors() {
    for (std::size_t i = 0; i != exe.segments.size(); ++i)
      checkWritable(exe.segments[i].tile, exe.segments[i].address,
                    exe.segments[i].bytes, "tensor segment", i);
    checkRanges(
        exe.tensors, [](const TensorLayout &tensor) { return tensor.segments; },
        exe.segments.size(), "tensor");
    for (std::size_t i = 0; i != exe.tensors.size(); ++i) {
      const TensorLayout &tensor = exe.tensors[i];
      std::uint64_t bytes = 0;
      for (std::uint32_t k = 0; k != tensor.segments.count; ++k)
        bytes += exe.segments[tensor.segments.first + k].bytes;
      if (bytes != sizeInBytes(tensor.type, tensor.shape, "tensor", i))
        fail("the segments of tensor " + number(i) + " have " + number(bytes) +
             " bytes, which does not fit its shape");
    }
    for (std::size_t i = 0; i != exe.hostTensors.size(); ++i)
      checkIndex(exe.hostTensors[i].tensor, exe.tensors.size(), "host tensor",
                 i);
  }

  void verifyStreams() {
    for (std::size_t i = 0; i != exe.streams.size(); ++i) {
      const Stream &stream = exe.streams[i];
      if (stream.direction > StreamDirection::DeviceToHost)
        fail("stream " + number(i) + " has an unknown direction");
      const std::uint64_t bytes =
          sizeInBytes(stream.type, {stream.numElements}, "stream", i);
      checkReplicas(stream.replicas, "stream", i);
      sizeInBytes(stream.type, {stream.numElements, stream.replicas}, "stream",
                  i);
      if (!stream.shape.empty() &&
          sizeInBytes(stream.type, stream.shape, "stream", i) != bytes)
        fail("the shape of stream '" + stream.handle +
             "' does not fit its size");
    }
  }

  void verifyRemoteBuffers() {
    for (std::size_t i = 0; i != exe.remoteBuffers.size(); ++i) {
      const RemoteBuffer &buffer = exe.remoteBuffers[i];
      checkReplicas(buffer.replicas, "remote buffer", i);
      sizeInBytes(buffer.type,
                  {buffer.numElements, buffer.numRows, buffer.replicas},
                  "remote buffer", i);
    }
  }

  void verifyHostFunctions() {
    for (std::size_t i = 0; i != exe.hostFunctions.size(); ++i) {
      const HostFunction &function = exe.hostFunctions[i];
      checkReplicas(function.replicas, "host function", i);
      for (const auto *list : {&function.inputs, &function.outputs})
        for (const HostFunctionArgument &argument : *list)
          sizeInBytes(argument.type, {argument.numElements, function.replicas},
                      "host function", i);
    }
  }

  void verifyReports() {
    for (std::size_t i = 0; i != exe.memory.size(); ++i)
      checkIndex(exe.memory[i].tile, exe.numTiles(), "memory report", i);
  }
};

} // namespace

void verify(const Executable &executable) { Verifier(executable).verifyAll(); }

VerifiedExecutable::VerifiedExecutable(Executable executable)
    : VerifiedExecutable(std::make_shared<Executable>(std::move(executable))) {}

VerifiedExecutable::VerifiedExecutable(
    std::shared_ptr<const Executable> executable)
    : executable(std::move(executable)) {
  verify(*this->executable);
}

} // namespace populus::runtime
