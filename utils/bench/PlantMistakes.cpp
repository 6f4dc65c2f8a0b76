// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plants the mistakes of test/unit/Poplar/Mistakes.h in a program, one at a
// time, and asks two judges: the check of lowering, and a run of the program on
// the emulator beside one without a mistake. A wrong result that the check lets
// pass is what this looks for.
//
//   plant-mistakes [--places N]     N places of each kind (default: all)
//
// Prints for each kind in how many places it was planted, in how many of them
// the check found it, in how many of these results were wrong, and where
// neither was anything wrong. Exit status 1: a mistake was missed, or a kind
// matters nowhere.

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Lowering/Lowering.h"
#include "lib/Poplar/Verify/VerifyLowering.h"
#include "runtime/Session/Session.h"
#include "test/unit/Poplar/Mistakes.h"

#include <poplar/Device.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Target.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;
namespace core = poplar::core;
namespace rt = populus::runtime;

namespace {

constexpr const char *Codelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Sum : public Vertex {
public:
  Input<Vector<int>> in;
  Output<int> out;
  int scale;
  bool compute() {
    int sum = 0;
    for (int x : in) sum += x;
    *out = sum * scale;
    return true;
  }
};
class Copy : public Vertex {
public:
  Input<int> in;
  Output<int> out;
  bool compute() { *out = *in; return true; }
};
class Negate : public Vertex {
public:
  Input<int> in;
  Output<int> out;
  bool compute() { *out = -*in; return true; }
};
class SumEach : public Vertex {
public:
  Vector<Input<Vector<int>>> in;
  Output<Vector<int>> out;
  Vector<int> factors;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i) {
      int sum = 0;
      for (unsigned k = 0; k != in[i].size(); ++k) sum += (k + 1) * in[i][k];
      out[i] = sum * factors[i];
    }
    return true;
  }
};
)";

using Words = std::vector<std::int32_t>;

/// All that the host sees of some runs; nothing if one ends with an error.
std::optional<Words> run(std::shared_ptr<const rt::Executable> exe) {
  static const Words Inputs[] = {
      {1, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
      {0, 7, 0, -4, 50, 60, 70, 81, 92, 13, -1, 2, -3, 4, 9, 8},
  };
  Words seen;
  try {
    rt::SessionOptions options;
    options.threads = 1;
    options.engine = rt::Engine::Interpreter;
    options.maxCycles = 1000000;
    const auto session = rt::Session::create(exe, options);
    const Words *input = Inputs;
    for (std::uint32_t s = 0; s != exe->streams.size(); ++s)
      if (exe->streams[s].direction == rt::StreamDirection::HostToDevice)
        session->connectStream(s, [&](void *to, std::size_t bytes) {
          std::memcpy(to, input->data(), bytes);
        });
      else
        session->connectStream(s, [&](void *from, std::size_t bytes) {
          const auto *words = static_cast<const std::int32_t *>(from);
          seen.insert(seen.end(), words, words + bytes / 4);
        });
    const auto visitHandles = [&](bool isRead) {
      for (std::uint32_t h = 0; h != exe->hostTensors.size(); ++h) {
        const rt::HostTensor &handle = exe->hostTensors[h];
        std::size_t count = 1;
        for (std::uint64_t extent : exe->tensors[handle.tensor].shape)
          count *= extent;
        Words words(count);
        if (isRead && handle.readable) {
          session->readTensor(h, words.data());
          seen.insert(seen.end(), words.begin(), words.end());
        }
        if (!isRead && handle.writable) {
          for (std::size_t i = 0; i != count; ++i)
            words[i] = static_cast<std::int32_t>(3 * i + 11);
          session->writeTensor(h, words.data());
        }
      }
    };
    for (const Words &words : Inputs) {
      input = &words;
      session->run(0);
      visitHandles(true);
      visitHandles(false);
    }
    input = &Inputs[0];
    session->run(0);
    visitHandles(true);
  } catch (const std::exception &) {
    return std::nullopt;
  }
  return seen;
}

class Planter {
public:
  Planter()
      : device(Device::createSimulatorDevice(
            Target::createIPUTarget(1, MistakeProgram::Tiles, "ipu2"))),
        graph(device.getTarget()) {
    std::stringstream source(Codelets);
    graph.addCodelets(source);
    subject.emplace(graph);
    const auto exe = lower(true, nullptr);
    right = run(exe);
  }

  bool isReady() const { return right.has_value(); }

  /// Tries about \p most places, spread evenly, and then others until one has
  /// mattered. True if none was missed, and some mattered.
  bool tryAll(const Mistake &mistake, std::size_t most) {
    std::size_t places = 0;
    lower(false, [&](core::Draft &draft) { places = mistake.count(draft); });
    const std::size_t step =
        std::max<std::size_t>(1, places / std::max<std::size_t>(most, 1));
    std::vector<std::size_t> order;
    for (std::size_t first = 0; first != step; ++first)
      for (std::size_t place = first; place < places; place += step)
        order.push_back(place);
    const std::size_t spread = (places + step - 1) / step;
    std::size_t planted = 0, found = 0, wrong = 0, harmless = 0, missed = 0;
    for (std::size_t i = 0; i != order.size(); ++i) {
      if (i >= spread && wrong != 0)
        break;
      const std::size_t place = order[i];
      const Result result = tryOne(mistake, place);
      planted += result.isPlanted;
      found += result.isFound;
      wrong += result.isFound && result.isWrong;
      harmless += result.isPlanted && !result.isFound && !result.isWrong;
      if (result.isPlanted && !result.isFound && result.isWrong) {
        ++missed;
        std::cout << "missed: " << mistake.name << ", place " << place << '\n';
      }
    }
    std::cout << mistake.name << ": " << planted << " planted, " << found
              << " found (" << wrong << " with wrong results), " << harmless
              << " harmless" << std::endl;
    return missed == 0 && wrong != 0;
  }

private:
  struct Result {
    bool isPlanted = false, isFound = false, isWrong = false;
  };

  Result tryOne(const Mistake &mistake, std::size_t place) {
    Result result;
    const auto plant = [&](core::Draft &draft) {
      result.isPlanted = mistake.plant(draft, place);
    };
    try {
      lower(true, plant);
    } catch (const std::exception &) {
      result.isFound = result.isPlanted;
    }
    if (!result.isPlanted)
      return result;
    try {
      const auto exe = lower(false, plant);
      const std::optional<Words> words = run(exe);
      // A run that ends with an error is no silent one.
      result.isWrong = words ? *words != *right : result.isFound;
    } catch (const std::exception &) {
      result.isWrong = result.isFound;
    }
    return result;
  }

  std::shared_ptr<rt::Executable>
  lower(bool verify, std::function<void(core::Draft &)> tamper) {
    core::LoweringOptions options;
    options.threads = 1;
    options.verify = verify;
    options.tamper = std::move(tamper);
    return core::lower(core::Access::impl(graph),
                       ArrayRef<program::Program>(&subject->program, 1),
                       options)
        .executable;
  }

  Device device;
  Graph graph;
  std::optional<MistakeProgram> subject;
  std::optional<Words> right;
};

} // namespace

int main(int argc, char **argv) {
  std::size_t most = ~std::size_t(0);
  if (argc == 3 && std::string(argv[1]) == "--places")
    most = std::strtoull(argv[2], nullptr, 10);
  else if (argc != 1) {
    std::cerr << "usage: plant-mistakes [--places N]\n";
    return 2;
  }
  Planter planter;
  if (!planter.isReady()) {
    std::cerr << "the program without a mistake does not run\n";
    return 1;
  }
  std::size_t good = 0;
  for (const Mistake &mistake : allMistakes())
    good += planter.tryAll(mistake, most);
  std::cout << good << " of " << allMistakes().size() << " kinds are found\n";
  return good == allMistakes().size() ? 0 : 1;
}
