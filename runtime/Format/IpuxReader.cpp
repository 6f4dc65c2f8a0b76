// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads .ipux files. Nothing in the file is trusted: sections must lie in the
// file, arrays must be whole, and the program must be verified. The file is
// copied first, so that it cannot change later. Payloads, which may hold
// anything, stay in the file.

#include "runtime/Format/Checksum.h"
#include "runtime/Format/Ipux.h"
#include "runtime/Format/IpuxLayout.h"
#include "runtime/Format/MappedFile.h"

#include "runtime/Format/Ipux.pb.h"

#include <algorithm>
#include <climits>
#include <cstring>

namespace populus::runtime {

namespace {

using namespace ipux;
namespace pb = populus::ipux;

class Reader {
public:
  /// `mapping` holds the bytes, or is null.
  Reader(std::span<const std::uint8_t> bytes, const std::string &name,
         std::shared_ptr<const MappedFile> mapping, Checking checking)
      : file(bytes), name(name), mapping(std::move(mapping)),
        checking(checking) {}

  Executable read() {
    readContents();
    pb::Executable metadata;
    const std::vector<std::uint8_t> section = bytesOf(SectionKind::Metadata, 0);
    if (section.size() > INT_MAX ||
        !metadata.ParseFromArray(section.data(),
                                 static_cast<int>(section.size())))
      fail("the metadata cannot be read");
    readMetadata(metadata);
    readArrays();
    return std::move(executable);
  }

private:
  [[noreturn]] void fail(const std::string &what) const {
    throw FormatError(name + ": damaged .ipux file: " + what +
                      "; compile the program again");
  }

  void readContents() {
    Header header;
    char magic[sizeof(Magic)] = {};
    if (file.size() >= sizeof(Magic))
      copy(file.first(sizeof(Magic)), magic);
    if (std::memcmp(magic, Magic, sizeof(Magic)) != 0)
      throw FormatError(name + ": not an .ipux file");
    if (file.size() < sizeof(Header))
      fail("it ends in the header");
    copy(file.first(sizeof(Header)), &header);
    if (header.version < OldestVersion || header.version > Version)
      throw FormatError(
          name + ": .ipux version " + std::to_string(header.version) +
          " is not supported, this program reads versions " +
          std::to_string(OldestVersion) + " to " + std::to_string(Version) +
          (header.version > Version
               ? "; use newer tools, or compile the program again"
               : "; compile the program again"));
    if (header.fileSize != file.size())
      fail("it has " + std::to_string(file.size()) + " bytes instead of " +
           std::to_string(header.fileSize));
    if (header.numSections > (file.size() - sizeof(Header)) / sizeof(Section))
      fail("the table of contents does not fit in");
    sections.resize(header.numSections);
    copy(file.subspan(sizeof(Header), sections.size() * sizeof(Section)),
         sections.data());
    for (const Section &section : sections)
      if (section.offset > file.size() ||
          section.bytes > file.size() - section.offset)
        fail("a section lies outside");
    checkSums(header);
  }

  /// Damage that leaves the file a program is found, too: all of the file is
  /// read once, and what is copied later comes from the same pages.
  void checkSums(const Header &header) const {
    const bool wanted = (header.features & HasChecksums) != 0;
    if (wanted != (find(SectionKind::Checksums, 0) != nullptr))
      fail("it has lost its checksums");
    if (!wanted || checking == Checking::Structure)
      return;
    const std::vector<std::uint8_t> bytes = bytesOf(SectionKind::Checksums, 0);
    std::vector<ChecksumEntry> sums(sections.size() + 1);
    if (bytes.size() != sums.size() * sizeof(ChecksumEntry))
      fail("it has another number of checksums than of sections");
    std::memcpy(sums.data(), bytes.data(), bytes.size());
    Checksum table;
    table.add(&header, sizeof(header));
    table.add(sections.data(), sections.size() * sizeof(Section));
    if (table.value() != sums[0])
      fail("the checksum of its table of contents differs");
    for (std::size_t i = 0; i != sections.size(); ++i)
      if (sums[i + 1] !=
          (sections[i].kind == SectionKind::Checksums ? 0 : sumOf(sections[i])))
        fail("the checksum of section " +
             std::to_string(static_cast<std::uint32_t>(sections[i].kind)) +
             "." + std::to_string(sections[i].index) + " differs");
  }

  std::uint64_t sumOf(const Section &section) const {
    constexpr std::size_t Part = std::size_t(1) << 20;
    Checksum sum;
    std::vector<std::uint8_t> buffer(
        std::min<std::size_t>(Part, section.bytes));
    for (std::uint64_t at = 0; at != section.bytes;) {
      const std::size_t size =
          std::min<std::uint64_t>(Part, section.bytes - at);
      copy(file.subspan(section.offset + at, size), buffer.data());
      sum.add(buffer.data(), size);
      at += size;
    }
    return sum.value();
  }

  /// Copies bytes of the input. A file may have been cut off in the meantime.
  void copy(std::span<const std::uint8_t> part, void *to) const {
    if (mapping)
      mapping->copy(part, to);
    else if (!part.empty())
      std::memcpy(to, part.data(), part.size());
  }

  const Section *find(SectionKind kind, std::uint32_t index) const {
    // Sections of one kind come together, in order, in files of our writer, but
    // any order is read.
    for (std::size_t i = 0; i != sections.size(); ++i) {
      const Section &section = sections[(next + i) % sections.size()];
      if (section.kind == kind && section.index == index) {
        next = (next + i + 1) % sections.size();
        return &section;
      }
    }
    return nullptr;
  }

  std::span<const std::uint8_t> require(SectionKind kind,
                                        std::uint32_t index) const {
    const Section *section = find(kind, index);
    if (!section)
      fail("section " + std::to_string(static_cast<std::uint32_t>(kind)) + "." +
           std::to_string(index) + " is missing");
    return file.subspan(section->offset, section->bytes);
  }

  std::vector<std::uint8_t> bytesOf(SectionKind kind,
                                    std::uint32_t index) const {
    const std::span<const std::uint8_t> part = require(kind, index);
    std::vector<std::uint8_t> bytes(part.size());
    copy(part, bytes.data());
    return bytes;
  }

  static Range rangeOf(const pb::Range &range) {
    return {range.first(), range.count()};
  }

  void readMetadata(const pb::Executable &from) {
    executable.device = static_cast<DeviceKind>(small(from.device()));
    executable.target = from.target();
    executable.numIpus = from.num_ipus();
    executable.tilesPerIpu = from.tiles_per_ipu();
    executable.model = {from.model().clock_hz(), from.model().bytes_per_tile(),
                        from.model().exchange_bytes_per_cycle(),
                        from.model().sync_cycles(),
                        from.model().global_sync_cycles()};
    readImages(from);
    readVertexTypes(from);
    readTensors(from);
    readHostAccess(from);
    readPrograms(from);
    readReports(from);
  }

  /// Returns an enumeration's byte; a larger value becomes none of its members.
  static std::uint8_t small(std::uint32_t value) {
    return value > 0xff ? 0xff : static_cast<std::uint8_t>(value);
  }

  void readLines(const pb::CodeImage &from, CodeImage &image) const {
    image.files.assign(from.files().begin(), from.files().end());
    if (from.line_addresses_size() != from.line_files_size() ||
        from.line_addresses_size() != from.line_numbers_size())
      fail("the line table of a code image is not whole");
    SourceLine line;
    line.address = image.base;
    for (int i = 0; i != from.line_addresses_size(); ++i) {
      line.address += from.line_addresses(i) * 4;
      line.file = from.line_files(i) - 1; // 0 becomes None
      line.line += static_cast<std::uint32_t>(from.line_numbers(i));
      image.lines.push_back(line);
    }
  }

  void readImages(const pb::Executable &from) {
    for (const pb::CodeImage &image : from.images()) {
      CodeImage read;
      read.base = image.base();
      read.textBytes = image.text_bytes();
      if (const TargetInfo *target = findTarget(executable.target))
        read.accumulatorSets = target->accumulatorSets;
      read.bytes =
          bytesOf(SectionKind::Image,
                  static_cast<std::uint32_t>(executable.images.size()));
      for (const pb::Symbol &symbol : image.symbols())
        read.symbols.push_back(
            {symbol.name(), symbol.address(), symbol.size()});
      readLines(image, read);
      for (const pb::DebugSection &section : image.debug_sections())
        read.debugSections.push_back(
            {section.name(),
             {section.content().begin(), section.content().end()}});
      executable.images.push_back(std::move(read));
    }
    for (const pb::TileSetup &setup : from.tile_setups()) {
      TileSetup read;
      read.image = setup.image();
      if (static_cast<std::size_t>(setup.worker_base_size()) !=
          read.workerBase.size())
        fail("a tile setup has no six workers");
      std::copy(setup.worker_base().begin(), setup.worker_base().end(),
                read.workerBase.begin());
      read.supervisorStack = setup.supervisor_stack();
      read.stackBegin = setup.stack_begin();
      executable.tileSetups.push_back(read);
    }
    for (const std::string &payload : from.payloads())
      readPayload(payload);
  }

  void readPayload(const std::string &payloadName) {
    const auto index = static_cast<std::uint32_t>(executable.payloads.size());
    Payload payload;
    payload.name = payloadName;
    if (mapping) {
      payload.file = mapping;
      payload.mapped = require(SectionKind::Payload, index);
    } else {
      payload.bytes = bytesOf(SectionKind::Payload, index);
    }
    executable.payloads.push_back(std::move(payload));
  }

  void readVertexTypes(const pb::Executable &from) {
    for (std::uint32_t i = 0; i != from.num_host_objects(); ++i)
      executable.hostObjects.push_back(bytesOf(SectionKind::HostObject, i));
    for (const pb::HostEntry &entry : from.host_entries())
      executable.hostEntries.push_back({entry.object(), entry.symbol()});
    for (const pb::VertexType &type : from.vertex_types()) {
      VertexType read;
      read.name = type.name();
      read.kind = static_cast<VertexKind>(small(type.kind()));
      read.stateBytes = type.state_bytes();
      for (const pb::Field &field : type.fields())
        read.fields.push_back({field.name(), field.offset(), field.bytes(),
                               static_cast<FieldAccess>(small(field.access())),
                               field.element_bytes(), field.min_align(),
                               field.interleaved()});
      executable.vertexTypes.push_back(std::move(read));
    }
  }

  void readTensors(const pb::Executable &from) {
    for (const pb::Tensor &tensor : from.tensors())
      executable.tensors.push_back(
          {static_cast<ElementType>(small(tensor.type())),
           {tensor.shape().begin(), tensor.shape().end()},
           rangeOf(tensor.segments())});
    for (const pb::HostTensor &tensor : from.host_tensors())
      executable.hostTensors.push_back({tensor.handle(), tensor.tensor(),
                                        tensor.readable(), tensor.writable()});
    for (const pb::Stream &stream : from.streams())
      executable.streams.push_back(
          {stream.handle(),
           static_cast<StreamDirection>(small(stream.direction())),
           static_cast<ElementType>(small(stream.type())),
           stream.num_elements(),
           {stream.shape().begin(), stream.shape().end()},
           std::max(stream.replicas(), 1u),
           stream.broadcast()});
  }

  void readHostAccess(const pb::Executable &from) {
    for (const pb::RemoteBuffer &buffer : from.remote_buffers())
      executable.remoteBuffers.push_back(
          {buffer.handle(), static_cast<ElementType>(small(buffer.type())),
           buffer.num_elements(), buffer.num_rows(), buffer.replicas()});
    for (const pb::HostFunction &function : from.host_functions()) {
      HostFunction read;
      read.handle = function.handle();
      read.replicas = function.replicas();
      const auto argument = [this](const pb::HostFunctionArgument &message) {
        return HostFunctionArgument{
            static_cast<ElementType>(small(message.type())),
            message.num_elements()};
      };
      for (const pb::HostFunctionArgument &input : function.inputs())
        read.inputs.push_back(argument(input));
      for (const pb::HostFunctionArgument &output : function.outputs())
        read.outputs.push_back(argument(output));
      executable.hostFunctions.push_back(std::move(read));
    }
  }

  void readPrograms(const pb::Executable &from) {
    for (const pb::NamedRange &set : from.compute_sets())
      executable.computeSets.push_back({set.name(), rangeOf(set.range())});
    for (const pb::NamedRange &exchange : from.exchanges())
      executable.exchanges.push_back(
          {exchange.name(), rangeOf(exchange.range())});
    for (const pb::Step &step : from.steps())
      executable.steps.push_back(
          {static_cast<StepKind>(small(step.kind())),
           step.index(),
           step.tensor(),
           step.name(),
           {step.children().begin(), step.children().end()},
           {step.values().begin(), step.values().end()},
           {step.tensors().begin(), step.tensors().end()}});
    executable.programs.assign(from.programs().begin(), from.programs().end());
  }

  void readReports(const pb::Executable &from) {
    for (const pb::TileMemory &memory : from.memory()) {
      TileMemory read;
      read.tile = memory.tile();
      if (static_cast<std::size_t>(memory.by_category_size()) >
          read.byCategory.size())
        fail("an unknown category of memory");
      std::copy(memory.by_category().begin(), memory.by_category().end(),
                read.byCategory.begin());
      read.includingGaps = memory.including_gaps();
      read.overlapped = memory.overlapped();
      read.afterOverlapping = memory.after_overlapping();
      executable.memory.push_back(read);
    }
    for (const pb::Fact &fact : from.metadata())
      executable.metadata[fact.key()] = fact.value();
  }

  void readArrays() {
    forEachArray(executable, [this](SectionKind kind, auto &array) {
      const Section *section = find(kind, 0);
      if (!section)
        return;
      constexpr std::size_t Element = sizeof(array[0]);
      if (section->bytes % Element != 0 ||
          section->bytes / Element > UINT32_MAX)
        fail("section " + std::to_string(static_cast<std::uint32_t>(kind)) +
             " is not a whole number of entries");
      array.resize(section->bytes / Element);
      copy(file.subspan(section->offset, section->bytes), array.data());
    });
  }

  std::span<const std::uint8_t> file;
  const std::string &name;
  std::shared_ptr<const MappedFile> mapping;
  const Checking checking;
  std::vector<Section> sections;
  mutable std::size_t next = 0; // where find() begins
  Executable executable;
};

VerifiedExecutable parse(std::span<const std::uint8_t> bytes,
                         const std::string &name,
                         std::shared_ptr<const MappedFile> mapping,
                         Checking checking = Checking::Everything) {
  Executable executable =
      Reader(bytes, name, std::move(mapping), checking).read();
  try {
    return VerifiedExecutable(std::move(executable));
  } catch (const FormatError &error) {
    throw FormatError(name + ": " + error.what());
  }
}

} // namespace

VerifiedExecutable parseExecutable(std::span<const std::uint8_t> bytes,
                                   const std::string &name, Checking checking) {
  return parse(bytes, name, nullptr, checking);
}

VerifiedExecutable readExecutable(const std::filesystem::path &path) {
  const auto file = std::make_shared<const MappedFile>(path);
  return parse(file->bytes(), file->name(), file);
}

} // namespace populus::runtime
