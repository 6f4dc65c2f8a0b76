// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copy coalescing. A block that is copied as a whole to another block of the
// tile may share its memory if the two are live together only at the copy:
//
//    moment   step
//      1      write A     A is live in [1, 2]
//      2      B <- A      both are live: the only moment
//      3      read B      B is live in [2, 4]
//      4      C <- B      likewise B and C
//      5      read C
//
// B gets the address of A, and the copy disappears. United blocks count as one
// block, which is live in [1, 4] here, so C can join them, too. If step 5 read
// A, then A and B would be live together in [2, 4], and the first copy would
// stay: a write to one of them must not change the other.

#include "lib/Poplar/Lowering/CopyElimination.h"

#include <unordered_map>
#include <unordered_set>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

/// A step that copies all of one block to the same bytes of another.
struct BlockCopy {
  std::uint32_t from, to, step;
};

class CopyElimination {
public:
  CopyElimination(const Exchanges &exchanges, Storage &storage,
                  Liveness &liveness)
      : exchanges(exchanges), liveness(liveness), blocks(storage.blocks()),
        placeOf(blocks.size(), None) {}

  std::vector<std::uint32_t> run(const std::vector<rt::Step> &steps) {
    for (std::uint32_t step = 0; step != steps.size(); ++step)
      if (steps[step].kind == rt::StepKind::Exchange)
        for (const BlockCopy &copy : wholeCopies(step, steps[step].exchange()))
          tryToJoin(copy);
    for (std::uint32_t id = 0; id != placeOf.size(); ++id)
      if (placeOf[id] != None)
        placeOf[id] = ownerOf(id);
    return std::move(placeOf);
  }

private:
  bool canShare(const Piece &piece) const {
    if (piece.isBroadcast())
      return false;
    const std::uint32_t from = piece.from.block, to = piece.to.block;
    return piece.from.offset == piece.to.offset && from != to &&
           !liveness.isAlwaysLive(from) && !liveness.isAlwaysLive(to) &&
           blocks[from].tile == blocks[to].tile &&
           blocks[from].bytes == blocks[to].bytes;
  }

  std::vector<BlockCopy> wholeCopies(std::uint32_t step,
                                     std::uint32_t exchange) const {
    // Bytes copied from one block to another. Pieces never write the same
    // bytes, so a block that is filled from one source has no other source.
    std::vector<BlockCopy> copies;
    std::unordered_map<std::uint64_t, std::uint64_t> bytes;
    exchanges.forEachPiece(exchange, [&](const Piece &piece) {
      if (!canShare(piece))
        return;
      std::uint64_t &sum =
          bytes[std::uint64_t(piece.from.block) << 32 | piece.to.block];
      sum += piece.bytes;
      if (sum == blocks[piece.to.block].bytes)
        copies.push_back({piece.from.block, piece.to.block, step});
    });
    if (copies.empty())
      return copies;
    std::unordered_set<std::uint32_t> written;
    exchanges.forEachPiece(
        exchange, [&](const Piece &piece) { written.insert(piece.to.block); });
    std::erase_if(copies, [&](const BlockCopy &copy) {
      return written.contains(copy.from);
    });
    return copies;
  }

  std::uint32_t ownerOf(std::uint32_t block) const {
    while (placeOf[block] != None)
      block = placeOf[block];
    return block;
  }

  void tryToJoin(const BlockCopy &copy) {
    const std::uint32_t from = ownerOf(copy.from), to = ownerOf(copy.to);
    if (from == to || !liveness.meetOnlyAt(from, to, copy.step))
      return;
    liveness.unite(from, to);
    placeOf[to] = from;
    blocks[from].takeNeedsOf(blocks[to]);
  }

  const Exchanges &exchanges;
  Liveness &liveness;
  std::vector<Block> &blocks;
  std::vector<std::uint32_t> placeOf;
};

} // namespace

std::vector<std::uint32_t> shareCopies(const rt::Executable &exe,
                                       const Exchanges &exchanges,
                                       Storage &storage, Liveness &liveness) {
  return CopyElimination(exchanges, storage, liveness).run(exe.steps);
}

} // namespace poplar::core
