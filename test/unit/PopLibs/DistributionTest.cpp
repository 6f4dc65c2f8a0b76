// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of replicas that several sessions share, as processes of a job do,
// against one session: the same memory of all tiles, the same transfers, the
// same cycles of each IPU. The sessions are threads, and the fabric between
// them is in memory.

#include "Harness.h"

#include "lib/Poplar/Engine/ExecutableAccess.h"
#include "runtime/Session/Session.h"

#include <gcl/Collectives.hpp>
#include <popops/ElementWise.hpp>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

using namespace poplar;
using namespace test;
namespace rt = populus::runtime;

namespace {

constexpr unsigned Replicas = 4;

/// All threads put their messages down, and then take those for them.
class Table {
public:
  explicit Table(unsigned size) : size(size), parts(size * size) {}

  void put(unsigned from, unsigned to, std::span<const std::byte> bytes) {
    parts[from * size + to].assign(bytes.begin(), bytes.end());
  }
  const std::vector<std::byte> &take(unsigned from, unsigned to) const {
    return parts[from * size + to];
  }
  void wait() {
    std::unique_lock lock(mutex);
    const std::uint64_t round = rounds;
    if (++arrived == size) {
      arrived = 0;
      ++rounds;
      condition.notify_all();
    }
    condition.wait(lock, [&] { return rounds != round; });
  }

private:
  unsigned size, arrived = 0;
  std::uint64_t rounds = 0;
  std::mutex mutex;
  std::condition_variable condition;
  std::vector<std::vector<std::byte>> parts;
};

class ThreadFabric : public rt::Fabric {
public:
  ThreadFabric(Table &table, unsigned index, unsigned count)
      : table(table), own(index), count(count) {}

  unsigned index() const override { return own; }
  unsigned size() const override { return count; }
  void gather(std::span<const std::byte> part,
              std::span<std::byte> all) override {
    for (unsigned i = 0; i != count; ++i)
      table.put(own, i, part);
    table.wait();
    for (unsigned i = 0; i != count; ++i)
      std::ranges::copy(table.take(i, own), all.begin() + i * part.size());
    table.wait();
  }
  void exchange(const std::vector<std::vector<std::byte>> &sends,
                std::vector<std::vector<std::byte>> &receives) override {
    ++exchanges;
    for (unsigned i = 0; i != count; ++i)
      table.put(own, i, sends[i]);
    table.wait();
    for (unsigned i = 0; i != count; ++i) {
      EXPECT_EQ(receives[i].size(), table.take(i, own).size());
      receives[i] = table.take(i, own);
    }
    table.wait();
  }

  unsigned exchanges = 0;

private:
  Table &table;
  unsigned own, count;
};

/// A random program: collectives in groups, loops that depend on data, streams,
/// remote buffers.
class RandomProgram {
public:
  RandomProgram(unsigned seed, bool model) : random(seed), device(make(model)) {
    popops::addCodelets(graph);
    in = graph.addHostToDeviceFIFO("in", FLOAT, Elements);
    out = graph.addDeviceToHostFIFO("out", FLOAT, Elements);
    buffer = graph.addRemoteBuffer("buffer", FLOAT, Elements, 2);
    for (int i = 0; i != 3; ++i) {
      tensors.push_back(graph.addVariable(FLOAT, {Elements}));
      poputil::mapTensorLinearly(graph, tensors.back(), 1, 2);
      const std::string handle = "t" + std::to_string(i);
      graph.createHostWrite(handle, tensors.back());
      graph.createHostRead(handle, tensors.back());
    }
    program::Sequence prog;
    prog.add(program::Copy(in, tensors[0]));
    addSteps(prog, 2);
    prog.add(program::Copy(tensors[number(3)], out));
    Engine engine(graph, prog);
    std::stringstream stream;
    engine.serializeExecutable(stream);
    executable = Executable::deserialize(stream);
  }

  std::shared_ptr<const rt::Executable> program() const {
    return std::make_shared<const rt::Executable>(populus::access(*executable));
  }

private:
  static constexpr unsigned Elements = 24;

  static Device make(bool model) {
    if (!model)
      return Device::createSimulatorDevice(
          Target::createIPUTarget(Replicas * 2, 3, "ipu2"));
    IPUModel ipus;
    ipus.numIPUs = Replicas * 2;
    ipus.tilesPerIPU = 3;
    return ipus.createDevice();
  }

  unsigned number(unsigned end) { return random() % end; }

  Tensor row() {
    const Tensor row = graph.addConstant(UNSIGNED_INT, {1}, number(2));
    graph.setTileMapping(row, 0);
    return row;
  }

  void addSteps(program::Sequence &prog, unsigned depth) {
    for (unsigned i = 0; i != 5; ++i) {
      Tensor &a = tensors[number(3)], &b = tensors[number(3)];
      switch (number(7)) {
      case 0:
        popops::addInPlace(graph, a, b, prog);
        break;
      case 1:
        popops::mulInPlace(graph, a, 0.5f, prog);
        prog.add(program::Copy(a, b));
        break;
      case 2:
      case 3:
        if (together)
          addCollective(prog, a, b);
        break;
      case 4:
        prog.add(program::Copy(a, buffer, row()));
        prog.add(program::Copy(buffer, b, row()));
        break;
      case 5:
        if (depth != 0) {
          program::Sequence body;
          addSteps(body, depth - 1);
          prog.add(program::Repeat(2, body));
        }
        break;
      default:
        if (depth != 0)
          addBranch(prog, a, depth - 1);
      }
    }
  }

  void addCollective(program::Sequence &prog, const Tensor &a,
                     const Tensor &b) {
    const gcl::CommGroup groups[] = {{},
                                     {gcl::CommGroupType::CONSECUTIVE, 2},
                                     {gcl::CommGroupType::ORTHOGONAL, 2}};
    const gcl::CommGroup &group = groups[number(3)];
    if (number(2) == 0) {
      const Tensor sum = gcl::allReduceCrossReplica(
          graph, a, gcl::CollectiveOperator::ADD, prog, group);
      popops::mulInPlace(graph, sum, 0.25f, prog);
      prog.add(program::Copy(sum, b));
    } else {
      const Tensor all = gcl::allGatherCrossReplica(graph, a, prog, group);
      prog.add(program::Copy(all[number(2)], b));
    }
  }

  /// Either all replicas decide alike, for the sum of all is what decides, or
  /// each by itself, and then no collective is in the branches.
  void addBranch(program::Sequence &prog, const Tensor &a, unsigned depth) {
    const bool wereTogether = together;
    together &= number(2) == 0;
    const Tensor sum =
        together ? gcl::allReduceCrossReplica(
                       graph, a.slice(0, 1), gcl::CollectiveOperator::ADD, prog)
                 : a.slice(0, 1);
    const Tensor isLarge =
        popops::gt(graph, sum[0], together ? 1.0f : 0.3f, prog);
    program::Sequence yes, no;
    addSteps(yes, depth);
    addSteps(no, depth);
    prog.add(program::If(isLarge, yes, no));
    together = wereTogether;
  }

  std::mt19937 random;
  bool together = true; // where steps are added
  Device device;
  Graph graph{device, replication_factor(Replicas)};
  DataStream in, out;
  RemoteBuffer buffer;
  std::vector<Tensor> tensors;
  std::optional<Executable> executable;
};

struct Outcome {
  std::vector<std::vector<std::byte>> memory;  // by tile
  std::vector<rt::Cycles> cycles;              // by IPU
  std::map<unsigned, std::vector<float>> sent; // by replica
  std::vector<float> read;                     // of all replicas
  unsigned exchanges = 0;
};

/// Runs the share of one session twice, and adds its results.
void runShare(const std::shared_ptr<const rt::Executable> &program,
              ThreadFabric *fabric, std::mutex &mutex, Outcome &outcome) {
  const unsigned size = fabric ? fabric->size() : 1;
  const unsigned index = fabric ? fabric->index() : 0;
  const unsigned share = Replicas / size;
  rt::SessionOptions options;
  options.threads = 1;
  options.fabric = size == 1 ? nullptr : fabric;
  const auto session = rt::Session::create(program, options);
  for (std::uint32_t i = 0; i != program->hostTensors.size(); ++i) {
    std::vector<float> values(24 * share);
    for (std::size_t k = 0; k != values.size(); ++k)
      values[k] = 0.01f * float(i + 1) * float(24 * share * index + k);
    session->writeTensor(i, values.data());
  }
  std::map<unsigned, std::vector<float>> sent;
  for (unsigned r = 0; r != share; ++r) {
    const unsigned replica = index * share + r;
    for (std::uint32_t i = 0; i != program->streams.size(); ++i)
      if (program->streams[i].direction == rt::StreamDirection::HostToDevice)
        session->connectStream(
            i,
            [replica](void *data, std::size_t bytes) {
              for (std::size_t k = 0; k != bytes / 4; ++k)
                static_cast<float *>(data)[k] = float(replica) - 0.1f * k;
            },
            r);
      else
        session->connectStream(
            i,
            [&sent, replica](void *data, std::size_t bytes) {
              const auto *values = static_cast<const float *>(data);
              sent[replica].insert(sent[replica].end(), values,
                                   values + bytes / 4);
            },
            r);
  }
  session->run(0);
  session->run(0);
  std::vector<float> read(24 * share);
  session->readTensor(0, read.data());

  const std::lock_guard lock(mutex);
  const unsigned tiles = program->numTiles() / size;
  for (unsigned tile = tiles * index; tile != tiles * (index + 1); ++tile) {
    const auto bytes = session->tileMemory(tile).bytes;
    outcome.memory[tile].assign(bytes.begin(), bytes.end());
  }
  for (std::uint32_t ipu = 0; ipu != program->numIpus; ++ipu)
    if (outcome.cycles[ipu].total == 0 ||
        ipu / (program->numIpus / size) == index)
      outcome.cycles[ipu] = session->cycles(ipu);
  outcome.sent.merge(sent);
  outcome.read.resize(24 * Replicas);
  std::ranges::copy(read, outcome.read.begin() + 24 * share * index);
  if (fabric)
    outcome.exchanges += fabric->exchanges;
}

Outcome runIn(unsigned processes,
              const std::shared_ptr<const rt::Executable> &program) {
  Table table(processes);
  std::vector<ThreadFabric> fabrics;
  for (unsigned i = 0; i != processes; ++i)
    fabrics.emplace_back(table, i, processes);
  Outcome outcome;
  outcome.memory.resize(program->numTiles());
  outcome.cycles.resize(program->numIpus);
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (ThreadFabric &fabric : fabrics)
    threads.emplace_back([&] { runShare(program, &fabric, mutex, outcome); });
  for (std::thread &thread : threads)
    thread.join();
  return outcome;
}

class Distribution : public testing::TestWithParam<bool> {};

TEST_P(Distribution, RandomPrograms) {
  unsigned exchanges = 0;
  for (unsigned seed = 0; seed != 6; ++seed) {
    const auto program = RandomProgram(seed, GetParam()).program();
    const Outcome one = runIn(1, program);
    for (unsigned processes : {2, 4}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", processes " +
                   std::to_string(processes));
      const Outcome several = runIn(processes, program);
      // Pointers of host code are addresses of the host.
      if (!GetParam()) {
        EXPECT_EQ(one.memory, several.memory);
      }
      EXPECT_EQ(one.cycles, several.cycles);
      EXPECT_EQ(one.sent, several.sent);
      EXPECT_EQ(one.read, several.read);
      exchanges += several.exchanges;
    }
  }
  EXPECT_GT(exchanges, 40u);
}

/// The images of a program in which each replica has the same code.
std::vector<std::vector<std::uint8_t>> codeOf(unsigned replicas) {
  const Device device = Device::createSimulatorDevice(
      Target::createIPUTarget(replicas, 3, "ipu2"));
  Graph graph(device.getTarget(), replication_factor(replicas));
  popops::addCodelets(graph);
  const Tensor data = graph.addVariable(FLOAT, {60}, "data");
  poputil::mapTensorLinearly(graph, data, 1, 2);
  program::Sequence prog;
  popops::mulInPlace(graph, data, 0.5f, prog);
  popops::expInPlace(graph, data, prog);
  std::stringstream stream;
  Engine(graph, prog).serializeExecutable(stream);
  const Executable executable = Executable::deserialize(stream);
  std::vector<std::vector<std::uint8_t>> images;
  for (const rt::CodeImage &image : populus::access(executable).images)
    images.push_back(image.bytes);
  return images;
}

// Tiles of all replicas share the images of one.
TEST(Replicas, AreCompiledOnce) {
  const auto one = codeOf(1);
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(codeOf(16), one);
}

INSTANTIATE_TEST_SUITE_P(Devices, Distribution, testing::Bool(),
                         [](const auto &info) {
                           return info.param ? "Model" : "Emulator";
                         });

} // namespace
