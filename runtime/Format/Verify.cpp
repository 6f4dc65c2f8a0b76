// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per part of the executable, each trusting only what was checked
// before it: tables of tiles and images first, then what refers to them.

#include "runtime/Format/Verify.h"

#include "runtime/Format/PlaceSet.h"
#include "runtime/Format/StepKinds.h"

#include <algorithm>
#include <string>

namespace populus::runtime {

namespace {

/// More tiles than any machine of this kind has had.
constexpr std::uint64_t MostTiles = 1 << 18;
/// A faster clock than any.
constexpr double MostHertz = 1e12;
/// Deeper nesting than a program needs; the runtime walks steps recursively.
constexpr std::uint32_t DeepestStep = 4096;
/// Places that an exchange writes to, those side by side counted as one: more
/// than a program needs, and no more than there is memory to compare them.
constexpr std::uint64_t MostWrittenPlaces = 1 << 25;
/// The same for the parts of all copies, which are looked at one by one.
constexpr std::uint64_t MostCopyParts = 1 << 28;
/// The same for all exchanges together.
constexpr std::uint64_t MostPlacesOfAll = 1 << 30;
/// Ranges of an array may have entries in common, but not so many that looking
/// at each range takes longer than looking at a file of its size should.
constexpr std::uint64_t MostShares = 16;
constexpr std::uint64_t MostSharesOfFew = 1 << 16;
/// No more than tiles.
constexpr std::uint32_t MostReplicas = 1 << 18;
constexpr std::size_t NumElementTypes = ElementTypes.size();

std::string number(std::uint64_t value) { return std::to_string(value); }

class Verifier {
public:
  explicit Verifier(const Executable &executable) : exe(executable) {}

  void verifyAll() {
    verifyDevice();
    verifyImages();
    verifyTiles();
    verifyData();
    verifyHostCode();
    verifyVertices();
    verifyComputeSets();
    verifyBroadcasts();
    verifyPatterns();
    verifyExchanges();
    verifyTensors();
    verifyStreams();
    verifyRemoteBuffers();
    verifyHostFunctions();
    verifySteps();
    verifyReports();
  }

private:
  [[noreturn]] static void fail(const std::string &what) {
    throw FormatError("damaged program: " + what);
  }

  static void checkIndex(std::uint64_t index, std::size_t size,
                         const char *what, std::uint64_t owner) {
    if (index >= size)
      fail(std::string(what) + " " + number(owner) + " refers to entry " +
           number(index) + " of " + number(size));
  }

  static void checkRange(Range range, std::size_t size, const char *what,
                         std::uint64_t owner) {
    if (std::uint64_t(range.first) + range.count > size)
      fail(std::string(what) + " " + number(owner) + " refers to entries " +
           number(range.first) + " to " +
           number(std::uint64_t(range.first) + range.count) + " of " +
           number(size));
  }

  /// The ranges of an array, and how much of it they have in common.
  template <typename Entries, typename RangeOf>
  static void checkRanges(const Entries &entries, RangeOf rangeOf,
                          std::size_t size, const char *what) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i != entries.size(); ++i) {
      checkRange(rangeOf(entries[i]), size, what, i);
      all += rangeOf(entries[i]).count;
    }
    if (all > MostShares * size + MostSharesOfFew)
      fail("too many " + std::string(what) +
           "s refer to the same entries: to " + number(all) + " of " +
           number(size));
  }

  /// The bytes [address, address + bytes) of a tile.
  void checkPlace(std::uint32_t tile, std::uint64_t address,
                  std::uint64_t bytes, const char *what,
                  std::uint64_t owner) const {
    checkIndex(tile, exe.numTiles(), what, owner);
    const std::uint64_t end =
        isIpu() ? target->regions[1].end : std::uint64_t(exe.memoryEnd[tile]);
    const std::uint64_t begin = isIpu() ? target->regions[0].begin : 0;
    if (address < begin || address + bytes > end)
      fail(std::string(what) + " " + number(owner) + " at address " +
           number(address) + " lies outside the memory of tile " +
           number(tile));
  }

  /// The same, for bytes that the runtime will write.
  void checkWritable(std::uint32_t tile, std::uint64_t address,
                     std::uint64_t bytes, const char *what,
                     std::uint64_t owner) const {
    checkPlace(tile, address, bytes, what, owner);
    const CodeImage *image = imageOf(tile);
    if (image && bytes != 0 && address < image->base + image->textBytes &&
        address + bytes > image->base)
      fail(std::string(what) + " " + number(owner) + " overlaps the code of " +
           "tile " + number(tile));
  }

  bool isIpu() const { return exe.device == DeviceKind::Ipu; }

  const TileSetup *setupOf(std::uint32_t tile) const {
    if (tile >= exe.tileSetup.size() || exe.tileSetup[tile] == None)
      return nullptr;
    return &exe.tileSetups[exe.tileSetup[tile]];
  }

  const CodeImage *imageOf(std::uint32_t tile) const {
    const TileSetup *setup = setupOf(tile);
    return setup && setup->image != None ? &exe.images[setup->image] : nullptr;
  }

  void verifyDevice() {
    target = findTarget(exe.target);
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

  void verifyBroadcasts() {
    checkRanges(
        exe.broadcasts, [](Range receivers) { return receivers; },
        exe.receivers.size(), "broadcast");
    for (std::size_t i = 0; i != exe.broadcasts.size(); ++i) {
      const auto receivers = exe.receiversOf(static_cast<std::uint32_t>(i));
      if (!std::is_sorted(receivers.begin(), receivers.end(),
                          [](const Receiver &a, const Receiver &b) {
                            return a.tile < b.tile;
                          }))
        fail("the receivers of broadcast " + number(i) + " are not in order");
    }
  }

  /// After that, the parts of copies can be looked at.
  void verifyPatterns() {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i != exe.copyPieces.size(); ++i) {
      const CopyPiece &piece = exe.copyPieces[i];
      if (!piece.hasPattern())
        continue;
      checkIndex(piece.pattern(), exe.copyPatterns.size(), "copy", i);
      if (piece.isBroadcast())
        fail("copy " + number(i) + " is a broadcast with a pattern");
      all += exe.numParts(piece);
    }
    if (all > MostCopyParts)
      fail("copies have " + number(all) + " parts");
  }

  void verifyExchanges() {
    // What all pieces of a broadcast span, looked at once for each receiver.
    struct Span {
      std::uint64_t begin = ~std::uint64_t(0), end = 0;
    };
    std::vector<Span> spans(exe.broadcasts.size());
    for (std::size_t i = 0; i != exe.copyPieces.size(); ++i) {
      const CopyPiece &piece = exe.copyPieces[i];
      exe.forEachPart(piece, [&](const CopyPiece &part) {
        checkPlace(part.srcTile, part.src, part.bytes, "source of copy", i);
        if (!part.isBroadcast())
          checkWritable(part.dstTile, part.dst, part.bytes,
                        "destination of copy", i);
      });
      if (!piece.isBroadcast())
        continue;
      checkIndex(piece.broadcast(), spans.size(), "copy", i);
      Span &span = spans[piece.broadcast()];
      span.begin = std::min<std::uint64_t>(span.begin, piece.dst);
      span.end = std::max(span.end, std::uint64_t(piece.dst) + piece.bytes);
    }
    for (std::size_t i = 0; i != spans.size(); ++i)
      if (spans[i].begin <= spans[i].end) // it is used
        for (const Receiver &receiver :
             exe.receiversOf(static_cast<std::uint32_t>(i)))
          checkWritable(receiver.tile, receiver.address + spans[i].begin,
                        spans[i].end - spans[i].begin,
                        "destination of broadcast", i);
    checkRanges(
        exe.exchanges, [](const Exchange &exchange) { return exchange.pieces; },
        exe.copyPieces.size(), "exchange");
    verifyNoOverlap();
  }

  /// What an exchange writes, by tile; nothing twice. The other set is for
  /// what it sends to broadcasts. Returns how many places that makes.
  std::uint64_t gatherWritten(std::size_t index, PlaceSet &written,
                              PlaceSet &inBroadcasts) const {
    const auto pieces = exe.piecesOf(exe.exchanges[index]);
    inBroadcasts.assign([&](auto add) {
      for (const CopyPiece &piece : pieces)
        if (piece.bytes != 0 && piece.isBroadcast() &&
            !exe.receiversOf(piece.broadcast()).empty())
          add(piece.broadcast(), piece.dst,
              std::uint64_t(piece.dst) + piece.bytes);
    });
    failIfTwice(inBroadcasts.join(), index, "broadcast");
    std::uint64_t places = 0;
    for (const CopyPiece &piece : pieces)
      places += exe.numParts(piece);
    inBroadcasts.forEach([&](std::uint32_t broadcast, auto, auto) {
      places += exe.receiversOf(broadcast).size();
    });
    if (places > MostWrittenPlaces)
      fail("exchange " + number(index) + " writes to " + number(places) +
           " places");
    written.assign([&](auto add) {
      for (const CopyPiece &piece : pieces)
        if (!piece.isBroadcast())
          exe.forEachPart(piece, [&](const CopyPiece &part) {
            if (part.bytes != 0)
              add(part.dstTile, part.dst, std::uint64_t(part.dst) + part.bytes);
          });
      inBroadcasts.forEach([&](std::uint32_t broadcast, std::uint64_t begin,
                               std::uint64_t end) {
        for (const Receiver &receiver : exe.receiversOf(broadcast))
          add(receiver.tile, receiver.address + begin, receiver.address + end);
      });
    });
    failIfTwice(written.join(), index, "tile");
    return places;
  }

  static void failIfTwice(std::uint32_t where, std::size_t exchange,
                          const char *what) {
    if (where != None)
      fail("two destinations of exchange " + number(exchange) + " overlap on " +
           what + " " + number(where));
  }

  // The pieces of an exchange are copied in any order, by several threads.
  void verifyNoOverlap() const {
    PlaceSet written(exe.numTiles()), inBroadcasts(exe.broadcasts.size());
    std::uint64_t all = 0;
    for (std::size_t i = 0; i != exe.exchanges.size(); ++i) {
      all += gatherWritten(i, written, inBroadcasts);
      if (all > MostPlacesOfAll)
        fail("exchanges write to more than " + number(all) + " places");
      for (const CopyPiece &piece : exe.piecesOf(exe.exchanges[i]))
        exe.forEachPart(piece, [&](const CopyPiece &part) {
          if (part.bytes != 0 &&
              written.reachesInto(part.srcTile, part.src,
                                  std::uint64_t(part.src) + part.bytes))
            fail("a source of exchange " + number(i) +
                 " is overwritten on tile " + number(part.srcTile));
        });
    }
  }

  /// Bytes of a tensor or stream.
  std::uint64_t sizeInBytes(ElementType type,
                            const std::vector<std::uint64_t> &shape,
                            const char *what, std::uint64_t owner) const {
    if (static_cast<std::size_t>(type) >= NumElementTypes)
      fail(std::string(what) + " " + number(owner) + " has an unknown type");
    std::uint64_t bytes = sizeOf(type);
    for (std::uint64_t extent : shape)
      if (__builtin_mul_overflow(bytes, extent, &bytes))
        fail(std::string(what) + " " + number(owner) + " is too large");
    return bytes;
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

  static void checkReplicas(std::uint32_t replicas, const char *what,
                            std::uint64_t owner) {
    if (replicas == 0 || replicas > MostReplicas)
      fail(std::string(what) + " " + number(owner) + " has " +
           number(replicas) + " replicas");
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

  void verifySteps() {
    for (std::size_t i = 0; i != exe.steps.size(); ++i)
      verifyStep(i);
    for (std::size_t i = 0; i != exe.programs.size(); ++i)
      checkIndex(exe.programs[i], exe.steps.size(), "program", i);
    std::vector<std::uint32_t> depth(exe.steps.size(), NotVisited);
    for (std::uint32_t root : exe.programs)
      stepDepth(root, depth, 0);
  }

  /// How many children a step has to have.
  static std::size_t numChildren(const StepFacts &facts, const Step &step) {
    switch (facts.children) {
    case StepFacts::AnyNumber:
      return step.children.size();
    case StepFacts::PerValueAndOne:
      return step.values.size() + 1;
    default:
      return static_cast<std::size_t>(facts.children);
    }
  }

  /// What an index may be a number of; all numbers where it is something else.
  std::size_t numIndices(StepFacts::IndexOf index) const {
    switch (index) {
    case StepFacts::OfComputeSets:
      return exe.computeSets.size();
    case StepFacts::OfExchanges:
      return exe.exchanges.size();
    case StepFacts::OfSteps:
      return exe.steps.size();
    case StepFacts::OfStreams:
      return exe.streams.size();
    case StepFacts::OfRemoteBuffers:
      return exe.remoteBuffers.size();
    case StepFacts::OfHostFunctions:
      return exe.hostFunctions.size();
    case StepFacts::Other:
      break;
    }
    return ~std::size_t(0);
  }

  void verifyStep(std::size_t i) {
    const Step &step = exe.steps[i];
    const StepFacts *facts = factsOf(step.kind);
    if (!facts)
      fail("a step of an unknown kind");
    const std::size_t children = numChildren(*facts, step);
    if (step.children.size() != children)
      fail("step " + number(i) + " has " + number(step.children.size()) +
           " children instead of " + number(children));
    for (std::uint32_t child : step.children)
      checkIndex(child, exe.steps.size(), "step", i);
    if (facts->tensor != TensorUse::Nothing)
      checkIndex(step.tensor, exe.tensors.size(), "step", i);
    for (std::uint32_t tensor : step.tensors)
      checkIndex(tensor, exe.tensors.size(), "step", i);
    checkIndex(step.index, numIndices(facts->index), "step", i);
    verifyOperands(i);
  }

  /// What is special to a kind.
  void verifyOperands(std::size_t i) {
    const Step &step = exe.steps[i];
    if (step.kind == StepKind::Sequence && step.index > 1)
      fail("sequence " + number(i) + " is of an unknown kind");
    else if (step.kind == StepKind::StreamToDevice)
      verifyTransfer(i, StreamDirection::HostToDevice);
    else if (step.kind == StepKind::DeviceToStream)
      verifyTransfer(i, StreamDirection::DeviceToHost);
    else if (step.kind == StepKind::RemoteToDevice ||
             step.kind == StepKind::DeviceToRemote)
      verifyRemoteCopy(i);
    else if (step.kind == StepKind::HostCall)
      verifyHostCall(i);
    else if (step.kind == StepKind::Print)
      verifyPrint(i);
    else if (step.kind == StepKind::FloatControl)
      verifyFloatControl(i);
    else if (step.kind == StepKind::ReadSeeds ||
             step.kind == StepKind::WriteSeeds)
      verifySeeds(i);
    else if (step.kind == StepKind::Switch ||
             step.kind == StepKind::FloatRestore)
      requireWords(step.tensor, i);
    else if (step.kind == StepKind::CycleStamp)
      verifyStamp(i);
  }

  std::uint64_t bytesOf(std::uint32_t tensor) const {
    return sizeInBytes(exe.tensors[tensor].type, exe.tensors[tensor].shape,
                       "tensor", tensor);
  }

  void requireBytes(std::uint32_t tensor, std::uint64_t bytes,
                    std::size_t step) const {
    if (bytesOf(tensor) != bytes)
      fail("the tensor of step " + number(step) + " has " +
           number(bytesOf(tensor)) + " bytes instead of " + number(bytes));
  }

  void verifyPrint(std::size_t i) const {
    constexpr std::size_t FormatValues = 8;
    const std::vector<std::int32_t> &values = exe.steps[i].values;
    if (!values.empty() &&
        (values.size() != FormatValues || values[3] < 0 || values[3] > 100))
      fail("the format of print step " + number(i) + " is wrong");
  }

  void verifyFloatControl(std::size_t i) {
    const Step &step = exe.steps[i];
    if (step.values.size() != 2)
      fail("step " + number(i) + " has " + number(step.values.size()) +
           " values instead of 2");
    for (std::uint32_t tensor : step.tensors)
      requireWords(tensor, i);
  }

  /// Each segment is the row of one tile.
  void verifySeeds(std::size_t i) {
    const Range range = exe.tensors[exe.steps[i].tensor].segments;
    for (std::uint32_t k = 0; k != range.count; ++k)
      if (exe.segments[range.first + k].bytes % target->seedBytes() != 0)
        fail("the seeds of step " + number(i) +
             " are not those of whole tiles");
  }

  /// A word of each replica.
  void requireWords(std::uint32_t tensor, std::size_t step) const {
    if (bytesOf(tensor) == 0 || bytesOf(tensor) % 4 != 0)
      fail("the tensor of step " + number(step) + " has " +
           number(bytesOf(tensor)) + " bytes, which are not whole words");
  }

  void verifyStamp(std::size_t i) {
    requireBytes(exe.steps[i].tensor, 8, i);
    if (exe.steps[i].index > 1)
      fail("step " + number(i) + " is a cycle stamp of unknown kind " +
           number(exe.steps[i].index));
  }

  void verifyTransfer(std::size_t i, StreamDirection direction) {
    const Step &step = exe.steps[i];
    const Stream &stream = exe.streams[step.index];
    if (stream.direction != direction)
      fail("step " + number(i) + " uses stream '" + stream.handle +
           "' in the wrong direction");
    requireBytes(step.tensor,
                 stream.numElements * sizeOf(stream.type) * stream.replicas, i);
  }

  void verifyRemoteCopy(std::size_t i) {
    const Step &step = exe.steps[i];
    const RemoteBuffer &buffer = exe.remoteBuffers[step.index];
    const std::uint64_t row = buffer.numElements * sizeOf(buffer.type);
    const std::uint64_t rows =
        row == 0 ? 0 : bytesOf(step.tensor) / row / buffer.replicas;
    requireBytes(step.tensor, rows * row * buffer.replicas, i);
    if (!step.tensors.empty())
      requireBytes(step.tensors[0], rows * 4 * buffer.replicas, i);
    else if (rows > buffer.numRows)
      fail("step " + number(i) + " copies " + number(rows) +
           " rows of remote buffer '" + buffer.handle + "', which has " +
           number(buffer.numRows));
  }

  void verifyHostCall(std::size_t i) {
    const Step &step = exe.steps[i];
    const HostFunction &function = exe.hostFunctions[step.index];
    const std::size_t inputs = function.inputs.size();
    if (step.tensors.size() != inputs + function.outputs.size())
      fail("step " + number(i) + " calls host function '" + function.handle +
           "' with " + number(step.tensors.size()) + " tensors");
    for (std::size_t k = 0; k != step.tensors.size(); ++k) {
      const HostFunctionArgument &argument =
          k < inputs ? function.inputs[k] : function.outputs[k - inputs];
      requireBytes(
          step.tensors[k],
          argument.numElements * sizeOf(argument.type) * function.replicas, i);
    }
  }

  static constexpr std::uint32_t NotVisited = ~std::uint32_t(0);
  static constexpr std::uint32_t InProgress = NotVisited - 1;

  /// Steps below a step, counted along the longest path. Fails on a cycle.
  std::uint32_t stepDepth(std::uint32_t index,
                          std::vector<std::uint32_t> &depth,
                          std::uint32_t above) {
    if (depth[index] == InProgress)
      fail("step " + number(index) + " calls itself");
    if (above > DeepestStep)
      fail("the program is nested more than " + number(DeepestStep) +
           " steps deep");
    if (depth[index] != NotVisited) {
      if (above + depth[index] > DeepestStep)
        fail("the program is nested more than " + number(DeepestStep) +
             " steps deep");
      return depth[index];
    }
    depth[index] = InProgress;
    const Step &step = exe.steps[index];
    std::uint32_t deepest = 0;
    for (std::uint32_t child : step.children)
      deepest = std::max(deepest, stepDepth(child, depth, above + 1) + 1);
    if (step.kind == StepKind::Call)
      deepest = std::max(deepest, stepDepth(step.index, depth, above + 1) + 1);
    return depth[index] = deepest;
  }

  void verifyReports() {
    for (std::size_t i = 0; i != exe.memory.size(); ++i)
      checkIndex(exe.memory[i].tile, exe.numTiles(), "memory report", i);
  }

  const Executable &exe;
  const TargetInfo *target = nullptr;
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
