// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes are planted in a draft, which has places in place of addresses.

#include "test/unit/Poplar/Mistakes.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

using namespace poplar;
using namespace poplar::program;
using core::Draft;
using core::None;
namespace rt = populus::runtime;

namespace {

// ---- Places of mistakes -----------------------------------------------------

std::vector<std::uint32_t> stepsOf(const Draft &draft, rt::StepKind kind) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i != draft.exe.steps.size(); ++i)
    if (draft.exe.steps[i].kind == kind)
      list.push_back(i);
  return list;
}

template <rt::StepKind Kind> std::size_t countSteps(const Draft &draft) {
  return stepsOf(draft, Kind).size();
}
template <rt::StepKind Kind> rt::Step &stepAt(Draft &draft, std::size_t i) {
  return draft.exe.steps[stepsOf(draft, Kind)[i]];
}

/// A child of a sequence.
struct Child {
  std::uint32_t parent;
  std::size_t index;
};

std::vector<Child> childrenOf(const Draft &draft) {
  std::vector<Child> list;
  for (std::uint32_t step : stepsOf(draft, rt::StepKind::Sequence))
    for (std::size_t i = 0; i != draft.exe.steps[step].children.size(); ++i)
      list.push_back({step, i});
  return list;
}
std::size_t countChildren(const Draft &draft) {
  return childrenOf(draft).size();
}
std::vector<std::uint32_t> &siblings(Draft &draft, const Child &child) {
  return draft.exe.steps[child.parent].children;
}

/// Executions behind two other steps, which may bring their operands.
std::vector<Child> lateExecutions(const Draft &draft) {
  std::vector<Child> list = childrenOf(draft);
  std::erase_if(list, [&](const Child &child) {
    const std::uint32_t step =
        draft.exe.steps[child.parent].children[child.index];
    return draft.exe.steps[step].kind != rt::StepKind::Execute ||
           child.index < 2;
  });
  return list;
}
std::size_t countLateExecutions(const Draft &draft) {
  return lateExecutions(draft).size();
}

/// A piece of an exchange, or the first of several.
struct PieceAt {
  std::uint32_t exchange;
  std::size_t index;
  std::size_t count = 1;
};

std::vector<PieceAt>
piecesWhere(const Draft &draft,
            const std::function<bool(const core::Piece &)> &isWanted) {
  std::vector<PieceAt> list;
  for (std::uint32_t id = 0; id != draft.exchanges.size(); ++id) {
    std::size_t index = 0;
    draft.exchanges.forEachPiece(id, [&](const core::Piece &piece) {
      if (isWanted(piece))
        list.push_back({id, index});
      ++index;
    });
  }
  return list;
}
std::vector<PieceAt> allPieces(const Draft &draft) {
  return piecesWhere(draft, [](const core::Piece &) { return true; });
}
std::size_t countPieces(const Draft &draft) { return allPieces(draft).size(); }

/// Changes the pieces of an exchange, if `change` returns true.
bool changePieces(
    Draft &draft, std::uint32_t exchange,
    const std::function<bool(std::vector<core::Piece> &)> &change) {
  std::vector<core::Piece> pieces = draft.exchanges.piecesOf(exchange);
  if (!change(pieces))
    return false;
  draft.exchanges.setPieces(exchange, pieces);
  return true;
}
bool changePiece(Draft &draft, std::size_t i,
                 const std::function<bool(core::Piece &)> &change) {
  const PieceAt at = allPieces(draft)[i];
  return changePieces(draft, at.exchange,
                      [&](auto &pieces) { return change(pieces[at.index]); });
}

std::vector<PieceAt> broadcastPieces(const Draft &draft) {
  return piecesWhere(
      draft, [](const core::Piece &piece) { return piece.isBroadcast(); });
}

/// Takes pieces out of their exchange.
bool dropPieces(Draft &draft, const PieceAt &at) {
  return changePieces(draft, at.exchange, [&](auto &pieces) {
    const auto first = pieces.begin() + static_cast<std::ptrdiff_t>(at.index);
    pieces.erase(first, first + static_cast<std::ptrdiff_t>(at.count));
    return true;
  });
}

/// Three pieces or more at equal distances.
std::vector<PieceAt> patternsOf(const Draft &draft) {
  std::vector<PieceAt> list;
  for (std::uint32_t id = 0; id != draft.exchanges.size(); ++id) {
    const std::vector<core::Piece> pieces = draft.exchanges.piecesOf(id);
    const auto continues = [&](std::size_t i) {
      const core::Piece &a = pieces[i - 1], &b = pieces[i];
      return a.from.block == b.from.block && a.to.block == b.to.block &&
             !a.isBroadcast() && !b.isBroadcast() && a.bytes == b.bytes;
    };
    const auto distance = [&](std::size_t i) {
      return std::pair(pieces[i].from.offset - pieces[i - 1].from.offset,
                       pieces[i].to.offset - pieces[i - 1].to.offset);
    };
    for (std::size_t first = 0; first != pieces.size();) {
      std::size_t end = first + 1;
      while (end != pieces.size() && continues(end) &&
             distance(end) == distance(first + 1))
        ++end;
      if (end - first >= 3)
        list.push_back({id, first, end - first});
      first = end;
    }
  }
  return list;
}

/// The next block of the same tile that holds something of a variable.
std::uint32_t otherBlock(const Draft &draft, std::uint32_t block) {
  const auto &blocks = draft.storage.blocks();
  for (std::size_t n = 1; n != blocks.size(); ++n) {
    const auto other = static_cast<std::uint32_t>((block + n) % blocks.size());
    if (blocks[other].tile == blocks[block].tile && blocks[other].bytes != 0 &&
        blocks[other].address != blocks[block].address)
      return other;
  }
  return None;
}

bool moveToOtherBlock(const Draft &draft, std::uint32_t &block) {
  const std::uint32_t other = otherBlock(draft, block);
  if (other != None)
    block = other;
  return other != None;
}

std::size_t countBlockPairs(const Draft &draft) {
  return draft.storage.blocks().size() * draft.storage.blocks().size();
}
/// Lets one block begin `bytes` into another one.
bool placeOver(Draft &draft, std::size_t pair, std::uint32_t bytes) {
  auto &blocks = draft.storage.blocks();
  core::Block &block = blocks[pair / blocks.size()];
  const core::Block &other = blocks[pair % blocks.size()];
  if (&block == &other || block.tile != other.tile || other.bytes <= bytes ||
      block.bytes == 0 || block.address == other.address + bytes)
    return false;
  block.address = other.address + bytes;
  return true;
}

template <class List, class Member>
bool swapWithNext(List &list, std::size_t i, Member member) {
  if (i + 1 >= list.size())
    return false;
  std::swap(list[i].*member, list[i + 1].*member);
  return true;
}

/// A word of a tile's own bytes for its vertices.
struct Word {
  std::vector<std::uint8_t> *bytes;
  std::size_t offset;
};
std::size_t countWords(const Draft &draft,
                       std::vector<std::uint8_t> core::TileDraft::*bytes) {
  std::size_t count = 0;
  for (const core::TileDraft &tile : draft.tiles)
    count += (tile.*bytes).size() / 4;
  return count;
}
bool flipWord(Draft &draft, std::size_t i,
              std::vector<std::uint8_t> core::TileDraft::*bytes) {
  for (core::TileDraft &tile : draft.tiles) {
    if (i < (tile.*bytes).size() / 4) {
      (tile.*bytes)[4 * i] ^= 1;
      return true;
    }
    i -= (tile.*bytes).size() / 4;
  }
  return false;
}

// ---- The mistakes -----------------------------------------------------------

using rt::StepKind;

constexpr auto Segments = [](const Draft &d) { return d.segments.size(); };
constexpr auto Data = [](const Draft &d) { return d.data.size(); };
constexpr auto Pointers = [](const Draft &d) { return d.pointers.size(); };
constexpr auto Vertices = [](const Draft &d) { return d.exe.vertices.size(); };
constexpr auto Exchanges = [](const Draft &d) { return d.exchanges.size(); };
constexpr auto Patterns = [](const Draft &d) { return patternsOf(d).size(); };
constexpr auto Broadcasts = [](const Draft &d) {
  return d.exchanges.numBroadcasts();
};
constexpr auto Receivers = [](const Draft &d) {
  std::size_t count = 0;
  for (std::uint32_t id = 0; id != d.exchanges.numBroadcasts(); ++id)
    count += d.exchanges.receiversOf(id).size();
  return count;
};
core::Place &receiver(Draft &d, std::size_t i) {
  for (std::uint32_t id = 0;; ++id) {
    auto &receivers = d.exchanges.receivers(id);
    if (i < receivers.size())
      return receivers[i];
    i -= receivers.size();
  }
}

const Mistake Mistakes[] = {
    // Exchanges.
    {"a piece is read from a word further", countPieces,
     [](Draft &d, std::size_t i) {
       return changePiece(d, i, [](core::Piece &piece) {
         piece.from.offset += 4;
         return true;
       });
     }},
    {"a piece is read from a byte further", countPieces,
     [](Draft &d, std::size_t i) {
       return changePiece(d, i, [](core::Piece &piece) {
         piece.from.offset += 1;
         return true;
       });
     }},
    {"a piece is read from another block", countPieces,
     [](Draft &d, std::size_t i) {
       return changePiece(d, i, [&](core::Piece &piece) {
         return moveToOtherBlock(d, piece.from.block);
       });
     }},
    {"a piece goes a word further", countPieces,
     [](Draft &d, std::size_t i) {
       return changePiece(d, i, [](core::Piece &piece) {
         piece.to.offset += 4;
         return true;
       });
     }},
    {"a piece goes to another block", countPieces,
     [](Draft &d, std::size_t i) {
       return changePiece(d, i, [&](core::Piece &piece) {
         return !piece.isBroadcast() && moveToOtherBlock(d, piece.to.block);
       });
     }},
    {"a piece is a word shorter", countPieces,
     [](Draft &d, std::size_t i) {
       return changePiece(d, i, [](core::Piece &piece) {
         piece.bytes -= 4;
         return true;
       });
     }},
    {"a piece is a word longer", countPieces,
     [](Draft &d, std::size_t i) {
       return changePiece(d, i, [](core::Piece &piece) {
         piece.bytes += 4;
         return true;
       });
     }},
    {"a piece is missing", countPieces,
     [](Draft &d, std::size_t i) { return dropPieces(d, allPieces(d)[i]); }},
    {"two pieces have each other's sources", countPieces,
     [](Draft &d, std::size_t i) {
       const PieceAt at = allPieces(d)[i];
       return changePieces(d, at.exchange, [&](auto &pieces) {
         if (at.index + 1 == pieces.size())
           return false;
         std::swap(pieces[at.index].from.offset,
                   pieces[at.index + 1].from.offset);
         return true;
       });
     }},
    {"a broadcast is missing",
     [](const Draft &d) { return broadcastPieces(d).size(); },
     [](Draft &d, std::size_t i) {
       return dropPieces(d, broadcastPieces(d)[i]);
     }},
    {"a broadcast has a receiver less", Broadcasts,
     [](Draft &d, std::size_t i) {
       auto &receivers = d.exchanges.receivers(static_cast<std::uint32_t>(i));
       receivers.pop_back();
       return !receivers.empty();
     }},
    {"a receiver takes it a word further", Receivers,
     [](Draft &d, std::size_t i) {
       receiver(d, i).offset += 4;
       return true;
     }},
    {"a receiver takes it to another block", Receivers,
     [](Draft &d, std::size_t i) {
       return moveToOtherBlock(d, receiver(d, i).block);
     }},
    {"a pattern has a piece less", Patterns,
     [](Draft &d, std::size_t i) {
       const PieceAt at = patternsOf(d)[i];
       return dropPieces(d, {at.exchange, at.index + at.count - 1});
     }},
    {"a pattern has another distance", Patterns,
     [](Draft &d, std::size_t i) {
       const PieceAt at = patternsOf(d)[i];
       return changePieces(d, at.exchange, [&](auto &pieces) {
         for (std::size_t k = 0; k != at.count; ++k)
           pieces[at.index + k].from.offset +=
               static_cast<std::uint32_t>(4 * k);
         return true;
       });
     }},
    {"an exchange copies nothing", Exchanges,
     [](Draft &d, std::size_t i) {
       d.exchanges.setPieces(static_cast<std::uint32_t>(i), {});
       return true;
     }},
    {"two exchanges have each other's pieces", Exchanges,
     [](Draft &d, std::size_t i) {
       const auto id = static_cast<std::uint32_t>(i);
       if (i + 1 == d.exchanges.size())
         return false;
       const std::vector<core::Piece> own = d.exchanges.piecesOf(id);
       d.exchanges.setPieces(id, d.exchanges.piecesOf(id + 1));
       d.exchanges.setPieces(id + 1, own);
       return true;
     }},
    // Steps.
    {"a step is missing", countChildren,
     [](Draft &d, std::size_t i) {
       const Child child = childrenOf(d)[i];
       auto &list = siblings(d, child);
       list.erase(list.begin() + static_cast<std::ptrdiff_t>(child.index));
       return true;
     }},
    {"two steps are swapped", countChildren,
     [](Draft &d, std::size_t i) {
       const Child child = childrenOf(d)[i];
       auto &list = siblings(d, child);
       if (child.index + 1 == list.size())
         return false;
       std::swap(list[child.index], list[child.index + 1]);
       return true;
     }},
    {"a step is made twice", countChildren,
     [](Draft &d, std::size_t i) {
       const Child child = childrenOf(d)[i];
       auto &list = siblings(d, child);
       const std::uint32_t step = list[child.index];
       list.insert(list.begin() + static_cast<std::ptrdiff_t>(child.index),
                   step);
       return true;
     }},
    {"a loop has a round less", countSteps<StepKind::Repeat>,
     [](Draft &d, std::size_t i) {
       return stepAt<StepKind::Repeat>(d, i).index-- != 0;
     }},
    {"a loop has a round more", countSteps<StepKind::Repeat>,
     [](Draft &d, std::size_t i) {
       ++stepAt<StepKind::Repeat>(d, i).index;
       return true;
     }},
    {"a branch is the other one", countSteps<StepKind::If>,
     [](Draft &d, std::size_t i) {
       auto &children = stepAt<StepKind::If>(d, i).children;
       std::swap(children.front(), children.back());
       return true;
     }},
    {"a condition is another tensor", countSteps<StepKind::If>,
     [](Draft &d, std::size_t i) {
       rt::Step &step = stepAt<StepKind::If>(d, i);
       return step.tensor-- != 0;
     }},
    {"a case has another value", countSteps<StepKind::Switch>,
     [](Draft &d, std::size_t i) {
       ++stepAt<StepKind::Switch>(d, i).values.front();
       return true;
     }},
    {"a loop goes on while it should end", countSteps<StepKind::RepeatWhile>,
     [](Draft &d, std::size_t i) {
       stepAt<StepKind::RepeatWhile>(d, i).index ^= 1;
       return true;
     }},
    {"an input goes to another tensor", countSteps<StepKind::StreamToDevice>,
     [](Draft &d, std::size_t i) {
       rt::Step &step = stepAt<StepKind::StreamToDevice>(d, i);
       step.tensor = (step.tensor + 1) % d.exe.tensors.size();
       return true;
     }},
    {"an output comes from another tensor",
     countSteps<StepKind::DeviceToStream>,
     [](Draft &d, std::size_t i) {
       return stepAt<StepKind::DeviceToStream>(d, i).tensor-- != 0;
     }},
    // Compute sets.
    {"two compute sets are swapped", countSteps<StepKind::Execute>,
     [](Draft &d, std::size_t i) {
       if (i + 1 >= countSteps<StepKind::Execute>(d))
         return false;
       std::swap(stepAt<StepKind::Execute>(d, i).index,
                 stepAt<StepKind::Execute>(d, i + 1).index);
       return true;
     }},
    {"a compute set is executed before its operands are there",
     countLateExecutions,
     [](Draft &d, std::size_t i) {
       const Child child = lateExecutions(d)[i];
       const auto at = siblings(d, child).begin() +
                       static_cast<std::ptrdiff_t>(child.index);
       std::rotate(at - 2, at, at + 1);
       return true;
     }},
    {"a vertex is missing",
     [](const Draft &d) { return d.exe.tileVertices.size(); },
     [](Draft &d, std::size_t i) {
       return d.exe.tileVertices[i].vertices.count-- != 0;
     }},
    {"a vertex has the state of another one", Vertices,
     [](Draft &d, std::size_t i) {
       return swapWithNext(d.statePlaces, i, &core::Place::offset);
     }},
    {"a vertex runs the code of another type", Vertices,
     [](Draft &d, std::size_t i) {
       rt::Vertex &vertex = d.exe.vertices[i];
       for (const rt::Vertex &other : d.exe.vertices)
         if (other.type != vertex.type) {
           vertex.entry = other.entry;
           return true;
         }
       return false;
     }},
    {"a vertex is of another type", Vertices,
     [](Draft &d, std::size_t i) {
       rt::Vertex &vertex = d.exe.vertices[i];
       for (const rt::Vertex &other : d.exe.vertices)
         if (other.type != vertex.type) {
           vertex.entry = other.entry;
           vertex.type = other.type;
           return true;
         }
       return false;
     }},
    {"vertices of a type are launched otherwise",
     [](const Draft &d) { return d.exe.vertexTypes.size(); },
     [](Draft &d, std::size_t i) {
       d.exe.vertexTypes[i].kind = rt::VertexKind::Supervisor;
       return true;
     }},
    {"a tile has the code of another one",
     [](const Draft &d) { return d.exe.tileSetup.size(); },
     [](Draft &d, std::size_t i) {
       for (std::uint32_t setup : d.exe.tileSetup)
         if (setup != None && d.exe.tileSetup[i] != None &&
             d.exe.tileSetups[setup].image !=
                 d.exe.tileSetups[d.exe.tileSetup[i]].image) {
           d.exe.tileSetup[i] = setup;
           return true;
         }
       return false;
     }},
    // Operands.
    {"a pointer is a word further", Pointers,
     [](Draft &d, std::size_t i) {
       d.pointers[i].target.offset += 4;
       return true;
     }},
    {"a pointer leads to another block", Pointers,
     [](Draft &d, std::size_t i) {
       return moveToOtherBlock(d, d.pointers[i].target.block);
     }},
    {"two pointers are swapped", Pointers,
     [](Draft &d, std::size_t i) {
       return i + 1 < d.pointers.size() &&
              (std::swap(d.pointers[i].target, d.pointers[i + 1].target), true);
     }},
    {"a value of a field is another",
     [](const Draft &d) { return countWords(d, &core::TileDraft::state); },
     [](Draft &d, std::size_t i) {
       return flipWord(d, i, &core::TileDraft::state);
     }},
    {"an element of a field is another",
     [](const Draft &d) { return countWords(d, &core::TileDraft::fieldData); },
     [](Draft &d, std::size_t i) {
       return flipWord(d, i, &core::TileDraft::fieldData);
     }},
    // Memory.
    {"a block shares the memory of another one", countBlockPairs,
     [](Draft &d, std::size_t i) { return placeOver(d, i, 0); }},
    {"a block begins a word into another one", countBlockPairs,
     [](Draft &d, std::size_t i) { return placeOver(d, i, 4); }},
    {"data is missing", Data,
     [](Draft &d, std::size_t i) {
       d.data.erase(d.data.begin() + static_cast<std::ptrdiff_t>(i));
       return true;
     }},
    {"data begins a word later", Data,
     [](Draft &d, std::size_t i) {
       core::PlacedData &data = d.data[i];
       if (data.bytes <= 4)
         return false;
       data.offset += 4;
       data.bytes -= 4;
       return true;
     }},
    {"a constant is taken for another one", Data,
     [](Draft &d, std::size_t i) {
       core::PlacedData &data = d.data[i];
       for (const core::PlacedData &other : d.data)
         if (other.bytes >= data.bytes &&
             (other.payload != data.payload || other.offset != data.offset)) {
           data.payload = other.payload;
           data.offset = other.offset;
           return true;
         }
       return false;
     }},
    // Mistakes in tensors that the host reads or writes.
    {"a part of a tensor is a word further", Segments,
     [](Draft &d, std::size_t i) {
       d.segments[i].place.offset += 4;
       return true;
     }},
    {"a part of a tensor is in another block", Segments,
     [](Draft &d, std::size_t i) {
       return moveToOtherBlock(d, d.segments[i].place.block);
     }},
    {"two parts of tensors are swapped", Segments,
     [](Draft &d, std::size_t i) {
       return swapWithNext(d.segments, i, &core::PlaceRun::place);
     }},
    {"the host reads or writes another tensor",
     [](const Draft &d) { return d.exe.hostTensors.size(); },
     [](Draft &d, std::size_t i) {
       rt::HostTensor &own = d.exe.hostTensors[i];
       for (const rt::HostTensor &other : d.exe.hostTensors)
         if (other.tensor != own.tensor) {
           own.tensor = other.tensor;
           return true;
         }
       return false;
     }},
};

// ---- The program ------------------------------------------------------------

constexpr std::size_t Size = 16;

class Builder {
public:
  explicit Builder(Graph &graph) : graph(graph) {}

  Tensor add(const std::string &name, unsigned tile, std::size_t size = Size) {
    const Tensor tensor = graph.addVariable(INT, {size}, name);
    graph.setTileMapping(tensor, tile);
    return tensor;
  }
  Tensor spread(const std::string &name) {
    const Tensor tensor = graph.addVariable(INT, {MistakeProgram::Tiles}, name);
    for (unsigned i = 0; i != MistakeProgram::Tiles; ++i)
      graph.setTileMapping(tensor[i], i);
    return tensor;
  }
  Tensor constant(int first, unsigned tile) {
    std::vector<int> numbers(Size);
    std::iota(numbers.begin(), numbers.end(), first);
    const Tensor tensor =
        graph.addConstant(INT, {Size}, ArrayRef<int>(numbers), "constant");
    graph.setTileMapping(tensor, tile);
    return tensor;
  }
  /// Sums of some elements on each tile, spread over the tiles.
  Tensor addSums(Sequence &to, const std::string &name, const Tensor &in) {
    const Tensor out = spread(name);
    const ComputeSet set = graph.addComputeSet(name);
    for (unsigned i = 0; i != MistakeProgram::Tiles; ++i) {
      const VertexRef vertex =
          graph.addVertex(set, "Sum", {{"in", in}, {"out", out[i]}});
      graph.setInitialValue(vertex["scale"], i + 1);
      graph.setTileMapping(vertex, i);
    }
    to.add(Execute(set));
    return out;
  }
  /// An element each.
  void each(const ComputeSet &set, const char *type, const Tensor &in,
            const Tensor &out) {
    for (unsigned i = 0; i != in.numElements(); ++i) {
      const VertexRef vertex =
          graph.addVertex(set, type, {{"in", in[i]}, {"out", out[i]}});
      graph.setTileMapping(vertex, i % MistakeProgram::Tiles);
    }
  }
  void addEach(Sequence &to, const char *type, const Tensor &in,
               const Tensor &out) {
    const ComputeSet set = graph.addComputeSet(type);
    each(set, type, in, out);
    to.add(Execute(set));
  }
  /// Every second element goes to another tile, which is one piece with a
  /// pattern.
  Tensor addStrided(Sequence &to, const Tensor &from, unsigned tile) {
    const Tensor out = add("strided", tile, from.numElements() / 2);
    to.add(
        Copy(from.reshape({from.numElements() / 2, 2}).slice(0, 1, 1).flatten(),
             out));
    return out;
  }
  /// Sums of rows with factors.
  Tensor addRows(Sequence &to, const std::string &name, const Tensor &in,
                 unsigned tile) {
    const Tensor out = add(name, tile, 2);
    const ComputeSet set = graph.addComputeSet(name);
    const VertexRef vertex = graph.addVertex(set, "SumEach");
    const std::size_t half = in.numElements() / 2;
    graph.connect(vertex["in"],
                  std::vector<Tensor>{in.slice(0, half).reverse(0),
                                      in.slice(half, in.numElements())});
    graph.connect(vertex["out"], out);
    graph.setInitialValue(vertex["factors"], ArrayRef<int>({3, 7}));
    graph.setTileMapping(vertex, tile);
    to.add(Execute(set));
    return out;
  }

private:
  Graph &graph;
};

} // namespace

std::span<const Mistake> allMistakes() { return Mistakes; }

MistakeProgram::MistakeProgram(Graph &graph) {
  Builder make(graph);
  Sequence all, body, then, function, one, two, condition, until;
  const DataStream from = graph.addHostToDeviceFIFO("in", INT, Size);
  const Tensor in = make.add("in", 3), copy = make.add("copy", 3);
  const Tensor result = make.add("result", 1, 2 * Tiles);
  const Tensor state = make.add("state", 2, Tiles);
  graph.setInitialValue(state, ArrayRef<int>({1, 2, 3, 4}));
  graph.createHostWrite("state", state);
  graph.createHostRead("state read", state);
  all.add(Copy(from, in));
  all.add(Copy(in, copy)); // not made

  // Constants: two that are equal and one that is not, broadcast and gathered.
  const Tensor constant = make.constant(5, 0), equal = make.constant(5, 0),
               other = make.constant(50, 0);
  const Tensor a = make.addSums(
      all, "a", concat({constant.reverse(0), other, equal.slice(3, 9), copy}));
  const Tensor b = make.addSums(all, "b", other.reverse(0));
  body.add(Copy(make.addSums(body, "c", concat({a, b, state, copy, result})),
                state));
  all.add(Repeat(3, body));

  // The second compute set writes what the first one reads: never join them.
  const Tensor v = make.spread("v"), w = make.spread("w"), u = make.spread("u");
  all.add(Copy(a, v));
  make.addEach(all, "Copy", v, w);
  make.addEach(all, "Negate", b, v);
  make.addEach(all, "Negate", concat(v.slice(1, Tiles), v.slice(0, 1)), u);
  const Tensor strided = make.addStrided(all, copy, 0);
  const Tensor rows = make.addRows(all, "rows", concat({u, v, w, state}), 2);

  then.add(Copy(make.addSums(then, "d", concat(state, constant)),
                result.slice(Tiles, 2 * Tiles)));
  all.add(Copy(a, result.slice(0, Tiles)));
  all.add(If(copy[0], then, Copy(b, result.slice(Tiles, 2 * Tiles))));

  // A function that is called twice, with other arguments.
  const Tensor argument = make.spread("argument"), value = make.spread("value");
  make.addEach(function, "Negate", argument, value);
  const Function negate = graph.addFunction(function);
  const Tensor kept = make.spread("kept");
  all.add(Copy(w, argument));
  all.add(Call(negate));
  all.add(Copy(value, kept));
  all.add(Copy(u, argument));
  all.add(Call(negate));

  // The case and the number of rounds are the host's choice.
  const Tensor chosen = make.add("chosen", 1, Tiles);
  make.addEach(one, "Copy", kept, chosen);
  make.addEach(two, "Negate", value, chosen);
  Switch choice(copy[1], two);
  choice.add(1, one);
  all.add(choice);
  const Tensor count = make.add("count", 0, 1), rest = make.add("rest", 0, 1);
  all.add(Copy(copy.slice(2, 3), count));
  condition.add(Copy(count, rest));
  const Tensor total = make.add("total", 0, 2);
  const ComputeSet decrement = graph.addComputeSet("decrement");
  const VertexRef sum =
      graph.addVertex(decrement, "Sum",
                      {{"in", concat(count, make.constant(-1, 0).slice(0, 1))},
                       {"out", total[0]}});
  graph.setInitialValue(sum["scale"], 1);
  graph.setTileMapping(sum, 0);
  until.add(Execute(decrement));
  until.add(Copy(total.slice(0, 1), count));
  until.add(Copy(make.addSums(until, "e", concat(chosen, state)), chosen));
  all.add(RepeatWhileTrue(condition, rest[0], until));

  const Tensor out =
      concat({result, kept, value, chosen, rows, count, w, strided});
  const DataStream to =
      graph.addDeviceToHostFIFO("out", INT, out.numElements());
  all.add(Copy(out, to));
  graph.createHostRead("result", result);
  program = all;
}
