// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check of lowered programs finds mistakes. A program with all that
// lowering does to programs (operands that stay where they are, broadcasts,
// copies that are not made, memory that is shared, loops and branches) is
// lowered with one mistake after the other, and each has to be found.

#include "lib/Poplar/Verify/VerifyLowering.h"
#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Lowering/Liveness.h"
#include "lib/Poplar/Lowering/Lowering.h"
#include "lib/Poplar/Verify/TagMap.h"
#include "test/unit/Poplar/DeviceKinds.h"
#include "test/unit/Poplar/TestArchive.h"

#include <poplar/Graph.hpp>

#include <numeric>
#include <random>
#include <utility>

using namespace poplar;
namespace core = poplar::core;
using core::Access;
using core::Draft;
using core::Liveness;
using core::LoweringOptions;
using core::None;
using core::Tag;
using core::TagMap;
using core::VerifyError;
using namespace poplar::program;

namespace {

namespace rt = populus::runtime;

class VerifyLoweringTest : public ::testing::Test {
protected:
  static constexpr unsigned Tiles = 4;
  static constexpr std::size_t Size = 16;

  VerifyLoweringTest()
      : device(makeDevice(TargetType::IPU_MODEL, Tiles)),
        graph(device.getTarget()) {
    graph.addCodelets(testArchive());
    makeProgram();
  }

  Tensor add(const std::string &name, unsigned tile, std::size_t size = Size,
             const Type &type = INT) {
    const Tensor tensor = graph.addVariable(type, {size}, name);
    graph.setTileMapping(tensor, tile);
    return tensor;
  }
  Tensor addConstant(int first, unsigned tile) {
    std::vector<int> numbers(Size);
    std::iota(numbers.begin(), numbers.end(), first);
    const Tensor tensor =
        graph.addConstant(INT, {Size}, ArrayRef<int>(numbers), "constant");
    graph.setTileMapping(tensor, tile);
    return tensor;
  }
  void addSum(const ComputeSet &set, const Tensor &in, const Tensor &out,
              unsigned tile) {
    const VertexRef vertex =
        graph.addVertex(set, "Sum", {{"in", in}, {"out", out}});
    graph.setInitialValue(vertex["scale"], tile + 1);
    graph.setTileMapping(vertex, tile);
  }
  /// Sums of some elements on each tile, spread over the tiles.
  Tensor addSums(Sequence &prog, const std::string &name, const Tensor &in) {
    const Tensor out = graph.addVariable(INT, {Tiles}, name);
    const ComputeSet set = graph.addComputeSet(name);
    for (unsigned i = 0; i != Tiles; ++i) {
      graph.setTileMapping(out[i], i);
      addSum(set, in, out[i], i);
    }
    prog.add(Execute(set));
    return out;
  }

  void makeProgram() {
    const DataStream from = graph.addHostToDeviceFIFO("in", INT, Size);
    const DataStream to = graph.addDeviceToHostFIFO("out", INT, 2 * Tiles);
    const Tensor in = add("in", 3), copy = add("copy", 3);
    const Tensor result = graph.addVariable(INT, {2 * Tiles}, "result");
    graph.setTileMapping(result, 1);
    graph.createHostRead("result", result);
    const Tensor state = add("state", 2, Tiles);
    graph.setInitialValue(state, ArrayRef<int>({1, 2, 3, 4}));
    graph.createHostWrite("state", state);
    Sequence all, body, then;
    all.add(Copy(from, in));
    all.add(Copy(in, copy));
    const Tensor constant = addConstant(5, 0), other = addConstant(50, 0);
    const Tensor a =
        addSums(all, "a", concat({constant.reverse(0), other, copy}));
    const Tensor b = addSums(all, "b", other.reverse(0));
    body.add(
        Copy(addSums(body, "c", concat({a, b, state, copy, result})), state));
    all.add(Repeat(3, body));
    then.add(Copy(addSums(then, "d", concat(state, constant)),
                  result.slice(Tiles, 2 * Tiles)));
    all.add(Copy(a, result.slice(0, Tiles)));
    all.add(If(state[0], then, Copy(b, result.slice(Tiles, 2 * Tiles))));
    all.add(Copy(result, to));
    program = all;
  }

  void lower(std::function<void(Draft &)> tamper) {
    LoweringOptions options;
    options.threads = 1;
    options.verify = true;
    options.tamper = std::move(tamper);
    const Program programs[] = {program};
    core::lower(Access::impl(graph), ArrayRef<Program>(programs, 1), options);
  }
  void expectFound(const std::string &what,
                   const std::function<void(Draft &)> &tamper) {
    EXPECT_THROW(lower(tamper), VerifyError) << what;
  }
  /// One mistake for each of something.
  void
  expectFoundForEach(const std::string &what,
                     const std::function<std::size_t(const Draft &)> &count,
                     const std::function<void(Draft &, std::size_t)> &tamper) {
    std::size_t number = 0;
    lower([&](Draft &draft) { number = count(draft); });
    EXPECT_NE(number, 0u) << what;
    for (std::size_t i = 0; i != number; ++i)
      expectFound(what + " " + std::to_string(i),
                  [&](Draft &draft) { tamper(draft, i); });
  }
  void
  expectFoundForEachPiece(const std::string &what,
                          const std::function<void(core::Piece &)> &tamper) {
    expectFoundForEach(what, countPieces, [&](Draft &draft, std::size_t i) {
      changePiece(draft, i, tamper);
    });
  }
  static std::size_t countPieces(const Draft &draft) {
    std::size_t count = 0;
    draft.exchanges.forEachPiece([&](const core::Piece &) { ++count; });
    return count;
  }
  static void changePiece(Draft &draft, std::size_t i,
                          const std::function<void(core::Piece &)> &tamper) {
    for (std::uint32_t id = 0; id != draft.exchanges.size(); ++id) {
      std::vector<core::Piece> pieces = draft.exchanges.piecesOf(id);
      if (i >= pieces.size()) {
        i -= pieces.size();
        continue;
      }
      if (isNeedless(draft, pieces[i]))
        throw VerifyError("none was made");
      tamper(pieces[i]);
      draft.exchanges.setPieces(id, pieces);
      return;
    }
  }
  /// True if a piece copies bytes to themselves.
  static bool isNeedless(const Draft &draft, const core::Piece &piece) {
    if (piece.isBroadcast())
      return false;
    const auto &from = draft.storage.block(piece.from);
    const auto &to = draft.storage.block(piece.to);
    return from.tile == to.tile &&
           from.address + piece.from.offset == to.address + piece.to.offset;
  }
  /// True if all pieces of an exchange copy bytes to themselves.
  static bool isNeedlessExchange(const Draft &draft, std::uint32_t exchange) {
    return std::ranges::all_of(
        draft.exchanges.piecesOf(exchange),
        [&](const core::Piece &piece) { return isNeedless(draft, piece); });
  }
  /// True if a step has an effect.
  static bool isNeeded(const Draft &draft, std::uint32_t step) {
    const rt::Step &each = draft.exe.steps[step];
    return each.kind != rt::StepKind::Exchange ||
           !isNeedlessExchange(draft, each.exchange());
  }
  /// The root of the program, which is the last step.
  static rt::Step &root(Draft &draft) {
    return draft.exe.steps[draft.exe.programs.front()];
  }

  Device device;
  poplar::Graph graph;
  Program program;
};

TEST_F(VerifyLoweringTest, NothingIsWrong) {
  EXPECT_NO_THROW(lower([](Draft &draft) {
    // All that mistakes are made in is there.
    EXPECT_NE(draft.exchanges.numBroadcasts(), 0u);
    EXPECT_NE(countPieces(draft), 0u);
  }));
}

TEST_F(VerifyLoweringTest, ThePieceHasAnotherSource) {
  expectFoundForEachPiece("piece",
                          [](core::Piece &piece) { piece.from.offset ^= 4; });
}

TEST_F(VerifyLoweringTest, ThePieceGoesElsewhere) {
  expectFoundForEachPiece("piece",
                          [](core::Piece &piece) { piece.to.offset += 4; });
}

TEST_F(VerifyLoweringTest, ThePieceIsShorter) {
  expectFoundForEachPiece("piece",
                          [](core::Piece &piece) { piece.bytes -= 4; });
}

TEST_F(VerifyLoweringTest, AReceiverIsDropped) {
  expectFoundForEach(
      "broadcast",
      [](const Draft &draft) { return draft.exchanges.numBroadcasts(); },
      [](Draft &draft, std::size_t i) {
        draft.exchanges.receivers(static_cast<std::uint32_t>(i)).pop_back();
      });
}

TEST_F(VerifyLoweringTest, AStepIsMissing) {
  expectFoundForEach(
      "step",
      [](const Draft &draft) {
        return draft.exe.steps[draft.exe.programs.front()].children.size();
      },
      [](Draft &draft, std::size_t i) {
        auto &steps = root(draft).children;
        if (!isNeeded(draft, steps[i]))
          throw VerifyError("none was made");
        steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
      });
}

TEST_F(VerifyLoweringTest, TwoStepsAreSwapped) {
  expectFoundForEach(
      "step",
      [](const Draft &draft) {
        return draft.exe.steps[draft.exe.programs.front()].children.size() - 1;
      },
      [](Draft &draft, std::size_t i) {
        auto &steps = root(draft).children;
        if (!isNeeded(draft, steps[i]) || !isNeeded(draft, steps[i + 1]))
          throw VerifyError("none was made");
        std::swap(steps[i], steps[i + 1]);
      });
}

TEST_F(VerifyLoweringTest, DataIsMissing) {
  expectFoundForEach(
      "data", [](const Draft &draft) { return draft.data.size(); },
      [](Draft &draft, std::size_t i) {
        draft.data.erase(draft.data.begin() + static_cast<std::ptrdiff_t>(i));
      });
}

// Mutation: initial data is another constant.
TEST_F(VerifyLoweringTest, DataIsOther) {
  expectFoundForEach(
      "data", [](const Draft &draft) { return draft.data.size(); },
      [](Draft &draft, std::size_t i) {
        core::PlacedData &data = draft.data[i];
        data.offset = data.offset == 0 ? 4 : data.offset - 4;
        data.bytes -= 4;
      });
}

/// True if two blocks are live at the same time, or in consecutive steps, of
/// which the first may write and the second read.
bool areNeededTogether(const Liveness &liveness, std::uint32_t a,
                       std::uint32_t b) {
  if (liveness.isAlwaysLive(a) || liveness.isAlwaysLive(b))
    return true;
  std::uint32_t moments = 0;
  for (const auto &one : liveness.of(a))
    for (const auto &other : liveness.of(b))
      for (auto at = std::max(one.first, other.first);
           at <= std::min(one.last, other.last); ++at)
        ++moments;
  return moments > 1;
}

// Mutation: two blocks that are live together share memory.
TEST_F(VerifyLoweringTest, TwoBlocksShareMemory) {
  std::size_t found = 0, harmless = 0, count = 0;
  lower([&](Draft &draft) { count = draft.storage.blocks().size(); });
  for (std::size_t one = 0; one != count; ++one)
    for (std::size_t other = 0; other != count; ++other) {
      bool isMistake = false;
      const auto tamper = [&](Draft &draft) {
        auto &blocks = draft.storage.blocks();
        const Liveness liveness(draft);
        const auto a = static_cast<std::uint32_t>(one);
        const auto b = static_cast<std::uint32_t>(other);
        isMistake = one != other && blocks[a].tile == blocks[b].tile &&
                    blocks[a].variable != None && blocks[b].variable != None &&
                    blocks[a].address != blocks[b].address &&
                    areNeededTogether(liveness, a, b);
        if (isMistake)
          blocks[a].address = blocks[b].address;
      };
      try {
        lower(tamper);
        harmless += isMistake;
      } catch (const VerifyError &) {
        found += isMistake;
      }
    }
  EXPECT_NE(found, 0u);
  EXPECT_EQ(harmless, 0u);
}

// Mutation: an exchange is dropped.
TEST_F(VerifyLoweringTest, AnExchangeIsNotMade) {
  expectFoundForEach(
      "exchange", [](const Draft &draft) { return draft.exchanges.size(); },
      [](Draft &draft, std::size_t i) {
        const auto id = static_cast<std::uint32_t>(i);
        if (isNeedlessExchange(draft, id))
          throw VerifyError("none was made");
        draft.exchanges.setPieces(id, {});
      });
}

TEST_F(VerifyLoweringTest, APointerIsWrong) {
  expectFoundForEach(
      "pointer", [](const Draft &draft) { return draft.pointers.size(); },
      [](Draft &draft, std::size_t i) {
        draft.pointers[i].target.offset += 4;
      });
}

// Mutation: a tensor of a stream, a predicate or the host lies elsewhere.
TEST_F(VerifyLoweringTest, ATensorLiesElsewhere) {
  expectFoundForEach(
      "segment", [](const Draft &draft) { return draft.segments.size(); },
      [](Draft &draft, std::size_t i) { draft.segments[i].place.offset += 4; });
}

TEST_F(VerifyLoweringTest, AVertexHasTheStateOfAnother) {
  expectFoundForEach(
      "vertex", [](const Draft &draft) { return draft.exe.vertices.size(); },
      [](Draft &draft, std::size_t i) {
        auto &places = draft.statePlaces;
        places[i] =
            *std::find_if(places.begin(), places.end(), [&](core::Place place) {
              return place.offset != places[i].offset;
            });
      });
}

TEST_F(VerifyLoweringTest, AVertexRunsTheCodeOfAnotherType) {
  expectFoundForEach(
      "vertex", [](const Draft &draft) { return draft.exe.vertices.size(); },
      [](Draft &draft, std::size_t i) {
        draft.exe.hostEntries.push_back({0, "__runCodelet_SumScalars"});
        draft.exe.vertices[i].entry =
            static_cast<std::uint32_t>(draft.exe.hostEntries.size() - 1);
      });
}

TEST_F(VerifyLoweringTest, AVertexIsLaunchedOtherwise) {
  expectFoundForEach(
      "type", [](const Draft &draft) { return draft.exe.vertexTypes.size(); },
      [](Draft &draft, std::size_t i) {
        draft.exe.vertexTypes[i].kind = rt::VertexKind::Multi;
      });
}

// A vertex writes to a word within the region that it reads.
TEST_F(VerifyLoweringTest, FieldsOfAVertexOverlap) {
  const Tensor in = add("more", 0), out = add("sum", 0, 1);
  const ComputeSet set = graph.addComputeSet("overlap");
  addSum(set, in, out, 0);
  const Program programs[] = {Sequence(WriteUndef(in), Execute(set))};
  LoweringOptions options;
  options.verify = true;
  options.tamper = [&](Draft &draft) {
    auto &blocks = draft.storage.blocks();
    core::Block *read = nullptr, *written = nullptr;
    for (core::Block &block : blocks)
      if (block.variable != None && block.bytes != 0)
        (block.bytes > 8 ? read : written) = &block;
    ASSERT_TRUE(read && written);
    written->address = read->address + 4;
  };
  EXPECT_THROW(
      core::lower(Access::impl(graph), ArrayRef<Program>(programs, 1), options),
      VerifyError);
}

// ---- Runs of tags -----------------------------------------------------------

// Against an array with an entry for each byte.
TEST(TagMapTest, LikeAnArray) {
  std::mt19937 random(1);
  constexpr std::uint64_t Bytes = 3000;
  for (unsigned round = 0; round != 20; ++round) {
    TagMap map;
    std::vector<Tag> bytes(Bytes);
    for (unsigned i = 0; i != 2000; ++i) {
      const std::uint64_t begin = random() % Bytes;
      const std::uint64_t end =
          std::min(Bytes, begin + random() % (round % 2 ? 10 : 400));
      const Tag tag = {static_cast<std::uint32_t>(random() % 3),
                       static_cast<std::int64_t>(random() % 2)};
      map.assign(begin, end, tag);
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                bytes.begin() + static_cast<std::ptrdiff_t>(end), tag);
      if (i % 50 != 0)
        continue;
      const TagMap copy = TagMap::of(map.entries());
      for (const TagMap *each : {&std::as_const(map), &copy}) {
        std::vector<Tag> found;
        const std::uint64_t from = random() % Bytes;
        each->forEach(from, Bytes,
                      [&](std::uint64_t b, std::uint64_t e, Tag t) {
                        found.insert(found.end(), e - b, t);
                      });
        ASSERT_TRUE(std::equal(
            found.begin(), found.end(),
            bytes.begin() + static_cast<std::ptrdiff_t>(from), bytes.end()));
      }
    }
  }
}

} // namespace
