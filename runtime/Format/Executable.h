// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled program: the linked tile images, the data they start with, the
// compute sets, the planned exchanges, and the control program that strings
// them together. The graph compiler (lib/Poplar) fills one in, Ipux.h writes it
// to a file and reads it back, and a Session runs it; nothing else passes
// between compiler and runtime. The same structure serves all three device
// kinds. For the emulator an entry is a tile address of IPU code. For the CPU
// and IPU Model it indexes a table of host functions, and loading the program
// relocates the pointer slots in vertex state to host addresses.
//
// Bulk data (vertices, copies, segments) is kept in flat arrays indexed by
// ranges: a program may have a million vertices and ten million pieces of
// exchange.

#ifndef POPULUS_RUNTIME_FORMAT_EXECUTABLE_H
#define POPULUS_RUNTIME_FORMAT_EXECUTABLE_H

#include "runtime/Format/SequenceKinds.h"
#include "runtime/Target/ElementType.h"
#include "runtime/Target/TargetInfo.h"

#include <array>
#include <cassert>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace populus::runtime {

class MappedFile;

inline constexpr std::uint32_t None = ~std::uint32_t(0);

enum class DeviceKind : std::uint8_t { Cpu = 0, IpuModel = 1, Ipu = 2 };

/// Elements [first, first + count) of one of the flat arrays.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct Symbol {
  std::string name;
  Address address = 0;
  std::uint32_t size = 0;
};

/// Code from an address on belongs to a line of a source file; `file` is an
/// index into CodeImage::files, or None: from here on nothing is known.
struct SourceLine {
  Address address = 0;
  std::uint32_t file = None;
  std::uint32_t line = 0;
};

/// A section of debug information (DWARF), with addresses of the image.
struct DebugSection {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// Linked code with its constants, placed at `base`; shared by all tiles that
/// run the same set of codelets.
struct CodeImage {
  Address base = 0;
  /// The first `textBytes` of `bytes` are instructions.
  std::uint32_t textBytes = 0;
  /// The accumulator sets of the target, which decide its instructions.
  unsigned accumulatorSets = 2;
  std::vector<std::uint8_t> bytes;
  std::vector<Symbol> symbols; // by address
  /// The source positions of code compiled with -g, by address.
  std::vector<std::string> files;
  std::vector<SourceLine> lines;
  /// Debug information, which is not loaded; for debuggers and dumpers.
  std::vector<DebugSection> debugSections;
};

/// Bytes above $mworker_base that a worker may use as it likes.
inline constexpr std::uint32_t WorkerScratchBytes = 64;

/// The set-up of a tile beside its data; tiles that agree share one.
struct TileSetup {
  std::uint32_t image = None;
  /// $mworker_base of each context: stacks grow down from it, scratch lies
  /// above.
  std::array<Address, 6> workerBase = {};
  /// Initial stack pointer of the supervisor.
  Address supervisorStack = 0;
  /// Lowest address of any stack.
  Address stackBegin = 0;
};

/// Bytes that stand in a tile's memory when the program is loaded.
struct DataBlock {
  std::uint32_t tile = 0;
  Address address = 0;
  std::uint32_t payload = 0; // index into payloads
  std::uint32_t bytes = 0;
  std::uint64_t offset = 0; // in that payload
};

/// A blob of initial data. Weights are payloads of their own, so that they can
/// be mapped, shared and replaced.
struct Payload {
  std::string name;
  std::vector<std::uint8_t> bytes;
  /// Set in an executable that was read from a file: the bytes are then in
  /// `mapped`, and not in `bytes`.
  std::shared_ptr<const MappedFile> file = nullptr;
  std::span<const std::uint8_t> mapped = {};

  std::span<const std::uint8_t> contents() const {
    return file ? mapped : std::span<const std::uint8_t>(bytes);
  }
};

/// Native devices only: eight bytes at `slot` hold a tile address, which
/// loading turns into the host address of that byte.
struct PointerSlot {
  std::uint32_t tile = 0;
  Address slot = 0;
};

/// Native devices only: a function of the host code.
struct HostEntry {
  std::uint32_t object = 0; // index into hostObjects
  std::string symbol;
};

enum class VertexKind : std::uint8_t { Worker = 0, Supervisor = 1, Multi = 2 };

/// Stored in files: append, never renumber.
enum class FieldAccess : std::uint8_t {
  Value = 0, // a value or an array of values, set when the graph is built
  Input = 1,
  Output = 2,
  InOut = 3,
};

/// A field of the vertex state, for messages, profiles and the checker.
struct FieldInfo {
  std::string name;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  FieldAccess access = FieldAccess::Value;
  /// The memory that the field points to: bytes of an element, the alignment of
  /// the first one that the graph compiler promises, and whether it is
  /// interleaved.
  std::uint32_t elementBytes = 0;
  std::uint32_t minAlign = 1;
  bool interleaved = false;
};

struct VertexType {
  std::string name; // as given to addVertex
  VertexKind kind = VertexKind::Worker;
  std::uint32_t stateBytes = 0;
  std::vector<FieldInfo> fields;
};

struct Vertex {
  std::uint32_t type = 0;
  /// Emulator: address of the entry point. Native: index into hostEntries.
  std::uint32_t entry = 0;
  /// Address of the vertex state in the tile's memory.
  Address state = 0;
  /// Cycles the vertex takes on its worker, for the IPU Model (0: not known).
  std::uint32_t estimate = 0;
};

/// Bytes on a vertex's tile that one of its fields points to. A field that is a
/// list has a region for each of its elements, in order, and one for the array
/// that points to them.
struct VertexRegion {
  static constexpr std::uint32_t ArrayFlag = 0x80000000;
  Address address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t fieldAndFlag = 0;

  /// Index into VertexType::fields.
  std::uint32_t field() const { return fieldAndFlag & ~ArrayFlag; }
  bool isArray() const { return fieldAndFlag & ArrayFlag; }
};

/// The vertices that one tile runs in a compute set, in launch order.
struct TileVertices {
  std::uint32_t tile = 0;
  Range vertices;
};

struct ComputeSet {
  std::string name;
  Range tiles; // of tileVertices, by tile
};

/// A copy descriptor of an exchange. The copies of one exchange run at once: no
/// destination overlaps another destination or any source of the same exchange.
/// Descriptors with the same source are one send to several tiles. A descriptor
/// with source and destination on one tile is a local copy.
///
/// A send to many tiles is one descriptor: it names a broadcast, the list of
/// its receivers, in place of a tile. Copies at regular distances between two
/// tiles are one descriptor, too: it has a pattern in place of a size. For
/// example, the 100 rows of a block are one descriptor with a pattern of 100
/// parts.
struct CopyPiece {
  static constexpr std::uint32_t BroadcastFlag = 0x80000000;
  static constexpr std::uint32_t PatternFlag = 0x80000000;
  std::uint32_t srcTile = 0;
  Address src = 0;
  /// A tile, or BroadcastFlag and an index into broadcasts.
  std::uint32_t dstTile = 0;
  /// An address, or, in a broadcast, the distance from the address of each
  /// receiver.
  Address dst = 0;
  /// A size, or PatternFlag and an index into copyPatterns; not in a broadcast.
  std::uint32_t bytes = 0;

  bool isBroadcast() const { return dstTile & BroadcastFlag; }
  std::uint32_t broadcast() const { return dstTile & ~BroadcastFlag; }
  bool hasPattern() const { return bytes & PatternFlag; }
  std::uint32_t pattern() const { return bytes & ~PatternFlag; }
};

/// Pieces of equal size at equal distances, which may be negative: addresses
/// are added up modulo 2^32.
struct CopyPattern {
  std::uint32_t bytes = 0;
  std::uint32_t count = 0;
  std::uint32_t srcStride = 0;
  std::uint32_t dstStride = 0;
};

/// A tile's address for the data of a broadcast.
struct Receiver {
  std::uint32_t tile = 0;
  Address address = 0;
};

struct Exchange {
  std::string name;
  Range pieces; // of copyPieces
};

/// A run of bytes of a tensor in a tile's memory.
struct Segment {
  std::uint32_t tile = 0;
  Address address = 0;
  std::uint32_t bytes = 0;
};

/// The location of a tensor, in element order, and its type and shape.
struct TensorLayout {
  ElementType type = ElementType::Float;
  std::vector<std::uint64_t> shape;
  Range segments;
};

/// A read or write handle (Graph::createHostRead, createHostWrite).
struct HostTensor {
  std::string handle;
  std::uint32_t tensor = None; // of tensors
  bool readable = false;
  bool writable = false;
};

enum class StreamDirection : std::uint8_t {
  HostToDevice = 0,
  DeviceToHost = 1
};

struct Stream {
  std::string handle;
  StreamDirection direction = StreamDirection::HostToDevice;
  ElementType type = ElementType::Float;
  std::uint64_t numElements = 0;
  /// Shape shown to users and checked against files; empty: {numElements}.
  std::vector<std::uint64_t> shape;
  /// Replicas of the graph that transfer at the same time, `numElements` each;
  /// the tensors of the steps have the elements of one replica after another.
  std::uint32_t replicas = 1;
  /// Host to device: one transfer serves all replicas.
  bool broadcast = false;
};

/// Memory outside the tiles, which the program reads and writes by rows. Each
/// replica has its own; at first it is all zeros.
struct RemoteBuffer {
  std::string handle;
  ElementType type = ElementType::Float;
  std::uint64_t numElements = 0; // of a row
  std::uint64_t numRows = 1;
  std::uint32_t replicas = 1;
};

struct HostFunctionArgument {
  ElementType type = ElementType::Float;
  std::uint64_t numElements = 0;
};

/// A function of the host that the program calls, once for each replica.
struct HostFunction {
  std::string handle;
  std::vector<HostFunctionArgument> inputs;
  std::vector<HostFunctionArgument> outputs;
  std::uint32_t replicas = 1;
};

enum class StepKind : std::uint8_t {
#define STEP(NUMBER, KIND, ...) KIND = NUMBER,
#include "runtime/Format/StepKinds.def"
};
inline constexpr unsigned NumStepKinds = 0
#define STEP(...) +1
#include "runtime/Format/StepKinds.def"
    ;

/// StepKinds.def tells the meaning of the fields for each kind.
struct Step {
  StepKind kind = StepKind::Sequence;
  /// Its meaning depends on the kind; the functions below give it a name.
  std::uint32_t index = 0;
  std::uint32_t tensor = None;
  std::string name;
  std::vector<std::uint32_t> children;
  std::vector<std::int32_t> values;
  /// The further tensors of a step, beside `tensor`.
  std::vector<std::uint32_t> tensors = {};

  bool isKindOfSequence(SequenceKind sequence) const {
    return isKind(indexIf(kind == StepKind::Sequence), sequence);
  }
  // Indices into lists of the executable.
  std::uint32_t computeSet() const {
    return indexIf(kind == StepKind::Execute);
  }
  std::uint32_t exchange() const { return indexIf(kind == StepKind::Exchange); }
  std::uint32_t stream() const {
    return indexIf(kind == StepKind::StreamToDevice ||
                   kind == StepKind::DeviceToStream);
  }
  std::uint32_t remoteBuffer() const {
    return indexIf(kind == StepKind::RemoteToDevice ||
                   kind == StepKind::DeviceToRemote);
  }
  std::uint32_t hostFunction() const {
    return indexIf(kind == StepKind::HostCall);
  }
  /// The step of the function that is called.
  std::uint32_t function() const { return indexIf(kind == StepKind::Call); }

  std::uint32_t repeatCount() const {
    return indexIf(kind == StepKind::Repeat);
  }
  /// True if the loop goes on while the predicate holds, false if it goes on
  /// until then.
  bool repeatsWhileTrue() const {
    return indexIf(kind == StepKind::RepeatWhile) != 0;
  }
  /// 0 internal, 1 external, 2 global.
  std::uint32_t syncClass() const { return indexIf(kind == StepKind::Sync); }
  /// True if the stamp is the cycles since an earlier one.
  bool stampsDifference() const {
    return indexIf(kind == StepKind::CycleStamp) != 0;
  }

private:
  std::uint32_t indexIf([[maybe_unused]] bool isOfKind) const {
    assert(isOfKind);
    return index;
  }
};

/// The use of a byte of tile memory, by the categories of the user guide's
/// memory report that exist so far. Stored in files: append, never renumber.
enum class MemoryCategory : std::uint8_t {
  Variable = 0,
  Constant = 1,
  Message = 2,
  OutputEdge = 3,
  Rearrangement = 4,
  VertexInstanceState = 5,
  VertexFieldData = 6,
  VertexCode = 7,
  ControlCode = 8,
  InternalExchangeCode = 9,
  HostExchangeCode = 10,
  Stack = 11,
  SharedDataStorage = 12,
  Count = 13,
};

/// Bytes in use on one tile.
struct TileMemory {
  std::uint32_t tile = 0;
  std::array<std::uint32_t, static_cast<std::size_t>(MemoryCategory::Count)>
      byCategory = {};
  /// Highest address in use + 1 less the lowest: what the tile really needs.
  std::uint32_t includingGaps = 0;
  /// The bytes of variables that share memory with others (they are not in
  /// byCategory), and of the memory that they share.
  std::uint32_t overlapped = 0;
  std::uint32_t afterOverlapping = 0;
};

struct Executable {
  DeviceKind device = DeviceKind::Ipu;
  std::string target; // a name of the target table
  std::uint32_t numIpus = 1;
  std::uint32_t tilesPerIpu = 0;
  ModelSettings model; // for DeviceKind::IpuModel

  std::vector<CodeImage> images;
  std::vector<TileSetup> tileSetups;
  std::vector<std::uint32_t> tileSetup; // by tile; None: the tile is idle
  /// The first unused address of each tile (native arenas are allocated from
  /// it).
  std::vector<Address> memoryEnd;

  std::vector<Payload> payloads;
  std::vector<DataBlock> data;

  std::vector<std::vector<std::uint8_t>> hostObjects;
  std::vector<HostEntry> hostEntries;
  std::vector<PointerSlot> pointerSlots;

  std::vector<VertexType> vertexTypes;
  std::vector<Vertex> vertices;
  /// Emulator only, for messages and the checker: the regions of all vertices,
  /// and, by vertex, where its own begin. Both empty: not known.
  std::vector<VertexRegion> regions;
  std::vector<std::uint32_t> firstRegion;
  std::vector<TileVertices> tileVertices;
  std::vector<ComputeSet> computeSets;

  std::vector<CopyPiece> copyPieces;
  std::vector<CopyPattern> copyPatterns;
  std::vector<Range> broadcasts; // of receivers, by tile
  std::vector<Receiver> receivers;
  std::vector<Exchange> exchanges;

  std::vector<Segment> segments;
  std::vector<TensorLayout> tensors;
  std::vector<HostTensor> hostTensors;
  std::vector<Stream> streams;
  std::vector<RemoteBuffer> remoteBuffers;
  std::vector<HostFunction> hostFunctions;

  std::vector<Step> steps;
  std::vector<std::uint32_t> programs; // root steps, as given to the Engine

  std::vector<TileMemory> memory; // tiles that use any, by tile
  /// Free-form facts for tools: producer, model name, options.
  std::map<std::string, std::string> metadata;

  std::uint32_t numTiles() const { return numIpus * tilesPerIpu; }

  std::span<const CopyPiece> piecesOf(const Exchange &exchange) const {
    return std::span(copyPieces)
        .subspan(exchange.pieces.first, exchange.pieces.count);
  }
  std::span<const Receiver> receiversOf(std::uint32_t broadcast) const {
    const Range range = broadcasts[broadcast];
    return std::span(receivers).subspan(range.first, range.count);
  }
  std::uint32_t numParts(const CopyPiece &piece) const {
    return piece.hasPattern() ? copyPatterns[piece.pattern()].count : 1;
  }
  /// Calls function(part) with a piece for each of those of a pattern.
  template <typename Function>
  void forEachPart(const CopyPiece &piece, Function function) const {
    if (!piece.hasPattern())
      return function(piece);
    const CopyPattern &pattern = copyPatterns[piece.pattern()];
    CopyPiece part = piece;
    part.bytes = pattern.bytes;
    for (std::uint32_t i = 0; i != pattern.count; ++i) {
      function(static_cast<const CopyPiece &>(part));
      part.src += pattern.srcStride;
      part.dst += pattern.dstStride;
    }
  }
  /// Calls the function for each part and each of its destinations.
  template <typename Function>
  void forEachCopy(const CopyPiece &piece, Function function) const {
    if (!piece.isBroadcast())
      return forEachPart(piece, function);
    for (const Receiver &receiver : receiversOf(piece.broadcast())) {
      CopyPiece copy = piece;
      copy.dstTile = receiver.tile;
      copy.dst += receiver.address;
      function(static_cast<const CopyPiece &>(copy));
    }
  }
};

/// The target of an executable whose target is known (Verify sees to that).
inline TargetInfo targetOf(const Executable &executable) {
  return withSettings(*findTarget(executable.target), executable.model);
}

} // namespace populus::runtime

#endif
