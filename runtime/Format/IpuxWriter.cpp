// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing .ipux: the sections are collected first, then laid out one after the
// other behind the table of contents.

#include "runtime/Format/Checksum.h"
#include "runtime/Format/Ipux.h"
#include "runtime/Format/IpuxLayout.h"
#include "runtime/Format/MappedFile.h"
#include "runtime/Support/OutputFile.h"

#include "runtime/Format/Ipux.pb.h"

#include <cstring>
#include <ostream>

namespace populus::runtime {

namespace {

using namespace ipux;
namespace pb = populus::ipux;

void set(pb::Range &to, Range from) {
  to.set_first(from.first);
  to.set_count(from.count);
}

void addLines(pb::CodeImage &to, const CodeImage &image) {
  for (const std::string &file : image.files)
    to.add_files(file);
  Address address = image.base;
  std::uint32_t line = 0;
  for (const SourceLine &entry : image.lines) {
    to.add_line_addresses((entry.address - address) / 4);
    to.add_line_files(entry.file + 1); // None becomes 0
    to.add_line_numbers(static_cast<std::int32_t>(entry.line - line));
    address = entry.address;
    line = entry.line;
  }
}

void addImages(pb::Executable &to, const Executable &from) {
  for (const CodeImage &image : from.images) {
    pb::CodeImage &added = *to.add_images();
    added.set_base(image.base);
    added.set_text_bytes(image.textBytes);
    for (const Symbol &symbol : image.symbols) {
      pb::Symbol &addedSymbol = *added.add_symbols();
      addedSymbol.set_name(symbol.name);
      addedSymbol.set_address(symbol.address);
      addedSymbol.set_size(symbol.size);
    }
    addLines(added, image);
    for (const DebugSection &section : image.debugSections) {
      pb::DebugSection &addedSection = *added.add_debug_sections();
      addedSection.set_name(section.name);
      addedSection.set_content(section.bytes.data(), section.bytes.size());
    }
  }
  for (const TileSetup &setup : from.tileSetups) {
    pb::TileSetup &added = *to.add_tile_setups();
    added.set_image(setup.image);
    for (Address base : setup.workerBase)
      added.add_worker_base(base);
    added.set_supervisor_stack(setup.supervisorStack);
    added.set_stack_begin(setup.stackBegin);
  }
  for (const Payload &payload : from.payloads)
    to.add_payloads(payload.name);
}

void addVertexTypes(pb::Executable &to, const Executable &from) {
  to.set_num_host_objects(static_cast<std::uint32_t>(from.hostObjects.size()));
  for (const HostEntry &entry : from.hostEntries) {
    pb::HostEntry &added = *to.add_host_entries();
    added.set_object(entry.object);
    added.set_symbol(entry.symbol);
  }
  for (const VertexType &type : from.vertexTypes) {
    pb::VertexType &added = *to.add_vertex_types();
    added.set_name(type.name);
    added.set_kind(static_cast<std::uint32_t>(type.kind));
    added.set_state_bytes(type.stateBytes);
    for (const FieldInfo &field : type.fields) {
      pb::Field &addedField = *added.add_fields();
      addedField.set_name(field.name);
      addedField.set_offset(field.offset);
      addedField.set_bytes(field.bytes);
      addedField.set_access(static_cast<std::uint32_t>(field.access));
      addedField.set_element_bytes(field.elementBytes);
      addedField.set_min_align(field.minAlign);
      addedField.set_interleaved(field.interleaved);
    }
  }
}

void addTensors(pb::Executable &to, const Executable &from) {
  for (const TensorLayout &tensor : from.tensors) {
    pb::Tensor &added = *to.add_tensors();
    added.set_type(static_cast<std::uint32_t>(tensor.type));
    added.mutable_shape()->Add(tensor.shape.begin(), tensor.shape.end());
    set(*added.mutable_segments(), tensor.segments);
  }
  for (const HostTensor &tensor : from.hostTensors) {
    pb::HostTensor &added = *to.add_host_tensors();
    added.set_handle(tensor.handle);
    added.set_tensor(tensor.tensor);
    added.set_readable(tensor.readable);
    added.set_writable(tensor.writable);
  }
  for (const Stream &stream : from.streams) {
    pb::Stream &added = *to.add_streams();
    added.set_handle(stream.handle);
    added.set_direction(static_cast<std::uint32_t>(stream.direction));
    added.set_type(static_cast<std::uint32_t>(stream.type));
    added.set_num_elements(stream.numElements);
    added.mutable_shape()->Add(stream.shape.begin(), stream.shape.end());
    added.set_replicas(stream.replicas);
    added.set_broadcast(stream.broadcast);
  }
}

void addHostAccess(pb::Executable &to, const Executable &from) {
  for (const RemoteBuffer &buffer : from.remoteBuffers) {
    pb::RemoteBuffer &added = *to.add_remote_buffers();
    added.set_handle(buffer.handle);
    added.set_type(static_cast<std::uint32_t>(buffer.type));
    added.set_num_elements(buffer.numElements);
    added.set_num_rows(buffer.numRows);
    added.set_replicas(buffer.replicas);
  }
  for (const HostFunction &function : from.hostFunctions) {
    pb::HostFunction &added = *to.add_host_functions();
    added.set_handle(function.handle);
    added.set_replicas(function.replicas);
    const auto fill = [](const HostFunctionArgument &argument,
                         pb::HostFunctionArgument &message) {
      message.set_type(static_cast<std::uint32_t>(argument.type));
      message.set_num_elements(argument.numElements);
    };
    for (const HostFunctionArgument &input : function.inputs)
      fill(input, *added.add_inputs());
    for (const HostFunctionArgument &output : function.outputs)
      fill(output, *added.add_outputs());
  }
}

void addPrograms(pb::Executable &to, const Executable &from) {
  for (const ComputeSet &computeSet : from.computeSets) {
    pb::NamedRange &added = *to.add_compute_sets();
    added.set_name(computeSet.name);
    set(*added.mutable_range(), computeSet.tiles);
  }
  for (const Exchange &exchange : from.exchanges) {
    pb::NamedRange &added = *to.add_exchanges();
    added.set_name(exchange.name);
    set(*added.mutable_range(), exchange.pieces);
  }
  for (const Step &step : from.steps) {
    pb::Step &added = *to.add_steps();
    added.set_kind(static_cast<std::uint32_t>(step.kind));
    added.set_index(step.index);
    added.set_tensor(step.tensor);
    added.set_name(step.name);
    added.mutable_children()->Add(step.children.begin(), step.children.end());
    added.mutable_values()->Add(step.values.begin(), step.values.end());
    added.mutable_tensors()->Add(step.tensors.begin(), step.tensors.end());
  }
  to.mutable_programs()->Add(from.programs.begin(), from.programs.end());
}

void addReports(pb::Executable &to, const Executable &from) {
  for (const TileMemory &memory : from.memory) {
    pb::TileMemory &added = *to.add_memory();
    added.set_tile(memory.tile);
    added.mutable_by_category()->Add(memory.byCategory.begin(),
                                     memory.byCategory.end());
    added.set_including_gaps(memory.includingGaps);
    added.set_overlapped(memory.overlapped);
    added.set_after_overlapping(memory.afterOverlapping);
  }
  for (const auto &[key, value] : from.metadata) {
    pb::Fact &added = *to.add_metadata();
    added.set_key(key);
    added.set_value(value);
  }
}

void addModel(pb::Executable &message, const ModelSettings &model) {
  if (model == ModelSettings())
    return;
  pb::ModelSettings &added = *message.mutable_model();
  added.set_clock_hz(model.clockHz);
  added.set_bytes_per_tile(model.bytesPerTile);
  added.set_exchange_bytes_per_cycle(model.exchangeBytesPerCycle);
  added.set_sync_cycles(model.syncCycles);
  added.set_global_sync_cycles(model.globalSyncCycles);
}

std::string metadataOf(const Executable &executable) {
  pb::Executable message;
  message.set_device(static_cast<std::uint32_t>(executable.device));
  message.set_target(executable.target);
  message.set_num_ipus(executable.numIpus);
  message.set_tiles_per_ipu(executable.tilesPerIpu);
  addModel(message, executable.model);
  addImages(message, executable);
  addVertexTypes(message, executable);
  addTensors(message, executable);
  addHostAccess(message, executable);
  addPrograms(message, executable);
  addReports(message, executable);
  return message.SerializeAsString();
}

/// Sections and where their bytes are now.
class Contents {
public:
  void add(SectionKind kind, std::size_t index, const void *data,
           std::size_t bytes) {
    sections.push_back({kind, static_cast<std::uint32_t>(index), 0, bytes});
    sources.push_back(data);
  }

  /// Gives each section its place behind the table of contents. No section is
  /// added after this.
  void layOut() {
    checksums.resize(sections.size() + 2); // the first is of the table itself
    add(SectionKind::Checksums, 0, checksums.data(),
        checksums.size() * sizeof(ChecksumEntry));
    std::uint64_t end = sizeof(Header) + sections.size() * sizeof(Section);
    for (Section &section : sections) {
      const std::uint64_t alignment =
          section.bytes >= PageSize ? PageSize : SmallAlignment;
      section.offset = (end + alignment - 1) / alignment * alignment;
      end = section.offset + section.bytes;
    }
    std::memcpy(header.magic, Magic, sizeof(Magic));
    header.version = Version;
    header.numSections = static_cast<std::uint32_t>(sections.size());
    header.fileSize = end;
    header.features = HasChecksums;
    sum();
  }

  std::uint64_t fileSize() const { return header.fileSize; }

  /// Calls visit(offset, data, bytes) for each part of the file, in order; what
  /// is between them is zero.
  template <typename Visit> void visit(Visit visit) const {
    visit(0, &header, sizeof(header));
    visit(sizeof(header), sections.data(), sections.size() * sizeof(Section));
    for (std::size_t i = 0; i != sections.size(); ++i)
      if (sections[i].bytes != 0)
        visit(sections[i].offset, sources[i], sections[i].bytes);
  }

private:
  void sum() {
    Checksum table;
    table.add(&header, sizeof(header));
    table.add(sections.data(), sections.size() * sizeof(Section));
    checksums[0] = table.value();
    for (std::size_t i = 0; i != sections.size(); ++i)
      checksums[i + 1] = sections[i].kind == SectionKind::Checksums
                             ? 0
                             : checksumOf(sources[i], sections[i].bytes);
  }

  Header header = {};
  std::vector<Section> sections;
  std::vector<const void *> sources;
  std::vector<ChecksumEntry> checksums;
};

void addPayloads(Contents &contents, const Executable &executable) {
  for (std::size_t i = 0; i != executable.payloads.size(); ++i) {
    const Payload &payload = executable.payloads[i];
    if (payload.file && !payload.file->isWhole())
      throw FormatError(payload.file->name() +
                        " has been cut off since it was read");
    contents.add(SectionKind::Payload, i, payload.contents().data(),
                 payload.contents().size());
  }
}

/// The result refers to both arguments.
Contents contentsOf(const Executable &executable, const std::string &metadata) {
  Contents contents;
  contents.add(SectionKind::Metadata, 0, metadata.data(), metadata.size());
  forEachArray(executable, [&](SectionKind kind, const auto &array) {
    if (!array.empty())
      contents.add(kind, 0, array.data(), array.size() * sizeof(array[0]));
  });
  for (std::size_t i = 0; i != executable.images.size(); ++i)
    contents.add(SectionKind::Image, i, executable.images[i].bytes.data(),
                 executable.images[i].bytes.size());
  for (std::size_t i = 0; i != executable.hostObjects.size(); ++i)
    contents.add(SectionKind::HostObject, i, executable.hostObjects[i].data(),
                 executable.hostObjects[i].size());
  addPayloads(contents, executable);
  contents.layOut();
  return contents;
}

void write(std::ostream &out, const Contents &contents) {
  static constexpr char Zeros[PageSize] = {};
  std::uint64_t end = 0;
  contents.visit([&](std::uint64_t offset, const void *data, std::size_t size) {
    out.write(Zeros, static_cast<std::streamsize>(offset - end));
    out.write(static_cast<const char *>(data),
              static_cast<std::streamsize>(size));
    end = offset + size;
  });
}

} // namespace

std::vector<std::uint8_t> serializeExecutable(const Executable &executable) {
  const std::string metadata = metadataOf(executable);
  const Contents contents = contentsOf(executable, metadata);
  std::vector<std::uint8_t> file(contents.fileSize());
  contents.visit([&](std::uint64_t offset, const void *data, std::size_t size) {
    if (size != 0)
      std::memcpy(file.data() + offset, data, size);
  });
  return file;
}

void writeExecutable(const Executable &executable,
                     const std::filesystem::path &path) {
  const std::string metadata = metadataOf(executable);
  const Contents contents = contentsOf(executable, metadata);
  const std::string reason =
      writeFile(path, [&](std::ostream &file) { write(file, contents); });
  if (!reason.empty())
    throw FormatError("cannot write " + path.string() + ": " + reason);
}

} // namespace populus::runtime
