// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Session/Distribution.h"

#include "runtime/Format/StepKinds.h"
#include "runtime/Session/FabricCopies.h"
#include "runtime/Session/Session.h"
#include "runtime/Session/TensorIo.h"
#include "runtime/Support/BuildId.h"

#include <algorithm>
#include <cstring>

namespace populus::runtime {

namespace {

/// Comes before the clocks of a process' IPUs.
struct Header {
  std::uint64_t meeting = 0;
  std::uint32_t step = 0;
  std::uint32_t hasFailed = 0;
  char message[240] = {}; // of a process that has failed
};

std::string instance(unsigned index) {
  return "instance " + std::to_string(index);
}

template <typename T> void append(std::string &text, const T &value) {
  text.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

/// Differs for programs, and builds, that cannot run together.
std::uint64_t fingerprintOf(const Executable &program) {
  std::string text = buildIdOf(reinterpret_cast<const void *>(&append<int>));
  text += program.target;
  for (const std::size_t count :
       {program.vertices.size(), program.copyPieces.size(),
        program.segments.size(), program.receivers.size(),
        program.tileVertices.size(), program.tensors.size(),
        std::size_t(program.device)})
    append(text, count);
  for (const Step &step : program.steps) {
    append(text, step.kind);
    append(text, step.index);
    append(text, step.tensor);
  }
  for (const TileVertices &tile : program.tileVertices)
    append(text, tile.vertices);
  return std::hash<std::string>()(text);
}

} // namespace

Distribution::Distribution(const Executable &program, Fabric *fabric,
                           std::uint32_t numClocks)
    : program(program), fabric(fabric), numClocks(numClocks),
      numTiles(program.numTiles()) {
  if (!fabric)
    return;
  if (program.numIpus % size() != 0)
    throw RunError("the program has " + std::to_string(program.numIpus) +
                   " IPUs, which " + std::to_string(size()) +
                   " instances cannot share evenly");
  numTiles /= size();
  copies.resize(program.exchanges.size());
  checkTensors();
  checkPrograms();
}

Distribution::~Distribution() = default;

/// A process' share of each tensor that the host sees has to lie on its tiles.
void Distribution::checkTensors() const {
  for (const HostTensor &tensor : program.hostTensors)
    checkTensor(tensor.tensor, "the tensor '" + tensor.handle + "'");
  const auto check = [&](std::uint32_t replicas, const std::string &what,
                         std::span<const std::uint32_t> tensors) {
    if (replicas % size() != 0)
      throw RunError(what + " has " + std::to_string(replicas) +
                     " replicas, which " + std::to_string(size()) +
                     " instances cannot share evenly");
    for (std::uint32_t tensor : tensors)
      checkTensor(tensor, what);
  };
  for (const Step &step : program.steps) {
    std::vector<std::uint32_t> tensors = step.tensors;
    if (step.tensor != None)
      tensors.push_back(step.tensor);
    if (step.kind == StepKind::StreamToDevice ||
        step.kind == StepKind::DeviceToStream) {
      const Stream &stream = program.streams[step.stream()];
      check(stream.replicas, "the stream '" + stream.handle + "'", tensors);
    } else if (step.kind == StepKind::RemoteToDevice ||
               step.kind == StepKind::DeviceToRemote) {
      const RemoteBuffer &buffer = program.remoteBuffers[step.remoteBuffer()];
      check(buffer.replicas, "the remote buffer '" + buffer.handle + "'",
            tensors);
    } else if (step.kind == StepKind::HostCall) {
      const HostFunction &function = program.hostFunctions[step.hostFunction()];
      check(function.replicas, "the host function '" + function.handle + "'",
            tensors);
    }
  }
}

void Distribution::checkTensor(std::uint32_t tensor,
                               const std::string &what) const {
  const TensorLayout &layout = program.tensors[tensor];
  const std::uint64_t share = tensorBytes(layout) / size();
  std::uint64_t offset = 0;
  for (std::uint32_t i = 0; i != layout.segments.count; ++i) {
    const Segment &segment = program.segments[layout.segments.first + i];
    if (segment.bytes == 0)
      continue;
    const std::uint64_t owner = ownerOf(segment.tile);
    if (offset < share * owner || offset + segment.bytes > share * (owner + 1))
      throw RunError(what + " is not replicated, and only replicas can be "
                            "divided among instances; let one process run "
                            "this program");
    offset += segment.bytes;
  }
}

void Distribution::checkPrograms() {
  const std::uint64_t own = fingerprintOf(program);
  std::vector<std::uint64_t> all(size());
  fabric->gather(std::as_bytes(std::span(&own, 1)),
                 std::as_writable_bytes(std::span(all)));
  for (unsigned i = 0; i != size(); ++i)
    if (all[i] != all[0])
      throw RunError(instance(i) + " has another program, or another build of "
                                   "Populus, than instance 0; all instances "
                                   "have to compile the same one");
}

std::span<const TileVertices>
Distribution::own(std::span<const TileVertices> tiles) const {
  if (!isOn())
    return tiles;
  const auto before = [](std::uint64_t end) {
    return [end](const TileVertices &vertices) { return vertices.tile < end; };
  };
  const std::uint64_t first = std::uint64_t(numTiles) * index();
  const auto begin = std::ranges::partition_point(tiles, before(first));
  return {begin,
          std::partition_point(begin, tiles.end(), before(first + numTiles))};
}

bool Distribution::crosses(std::span<const StepPart> parts) const {
  if (!isOn())
    return false;
  return std::ranges::any_of(parts, [&](const StepPart &part) {
    // Clocks of I/O tiles follow those of the IPUs.
    const auto owner = [&](std::uint32_t clock) {
      return ownerOf(clock % program.numIpus * program.tilesPerIpu);
    };
    return std::ranges::any_of(part.ipus, [&](std::uint32_t clock) {
      return owner(clock) != owner(part.ipus.front());
    });
  });
}

std::size_t Distribution::messageBytes() const {
  return sizeof(Header) + numClocks / size() * sizeof(Cycles);
}

/// The \p i-th clock of a process: those of its IPUs, then of their I/O tiles.
std::uint32_t Distribution::clockOf(unsigned process, std::uint32_t i) const {
  const std::uint32_t ipus = program.numIpus / size();
  return i / ipus * program.numIpus + process * ipus + i % ipus;
}

void Distribution::meet(std::uint32_t step, CycleAccount &account) {
  if (!isOn())
    return;
  const std::size_t bytes = messageBytes();
  std::vector<std::byte> own(bytes), all(bytes * size());
  Header header;
  header.meeting = ++meetings;
  header.step = step;
  std::memcpy(own.data(), &header, sizeof(header));
  for (std::uint32_t i = 0; i != numClocks / size(); ++i)
    std::memcpy(own.data() + sizeof(header) + i * sizeof(Cycles),
                &account.spent(clockOf(index(), i)), sizeof(Cycles));
  fabric->gather(own, all);
  for (unsigned other = 0; other != size(); ++other) {
    const std::byte *from = all.data() + other * bytes;
    std::memcpy(&header, from, sizeof(header));
    if (header.hasFailed) {
      hasFailed = true;
      throw RunError(instance(other) +
                     " of the job has failed: " + header.message);
    }
    if (header.meeting != meetings || header.step != step) {
      hasFailed = true;
      throw RunError(instance(other) + " is at step " +
                     std::to_string(header.step) + ", and " +
                     instance(index()) + " at step " + std::to_string(step) +
                     "; all instances have to run the same programs in the "
                     "same order");
    }
    for (std::uint32_t i = 0; other != index() && i != numClocks / size();
         ++i) {
      Cycles cycles;
      std::memcpy(&cycles, from + sizeof(header) + i * sizeof(Cycles),
                  sizeof(Cycles));
      account.take(clockOf(other, i), cycles);
    }
  }
}

void Distribution::fail(const std::string &message) noexcept try {
  if (!isOn() || hasFailed)
    return;
  hasFailed = true;
  const std::size_t bytes = messageBytes();
  std::vector<std::byte> own(bytes), all(bytes * size());
  Header header;
  header.hasFailed = 1;
  message.copy(header.message, sizeof(header.message) - 1);
  std::memcpy(own.data(), &header, sizeof(header));
  fabric->gather(own, all);
} catch (const std::exception &) {
  // They have ended, too.
}

void Distribution::complete(std::uint32_t tensor,
                            std::vector<std::byte> &data) {
  if (!isOn())
    return;
  std::vector<std::byte> all(data.size() * size());
  fabric->gather(data, all);
  const Range range = program.tensors[tensor].segments;
  std::size_t offset = 0;
  for (std::uint32_t i = 0; i != range.count; ++i) {
    const Segment &segment = program.segments[range.first + i];
    if (segment.bytes != 0)
      std::memcpy(data.data() + offset,
                  all.data() + ownerOf(segment.tile) * data.size() + offset,
                  segment.bytes);
    offset += segment.bytes;
  }
}

void Distribution::exchange(std::uint32_t exchange, std::uint32_t step,
                            CycleAccount &account, const DeviceMemory &memory,
                            WorkerPool &pool) {
  if (!copies[exchange])
    copies[exchange] = std::make_unique<const FabricCopies>(
        program, program.exchanges[exchange], numTiles, *fabric);
  if (copies[exchange]->crosses())
    meet(step, account);
  copies[exchange]->run(*fabric, memory, pool);
}

} // namespace populus::runtime
