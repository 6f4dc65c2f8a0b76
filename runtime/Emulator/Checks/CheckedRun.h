// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checked run of a tile's vertices in a compute set. Recording code runs them
// under a quick check (QuickCheck.h), or they run unchecked if they are known
// to be good (CheckedVertices.h). Afterwards the new state is kept, or the old
// one is restored: the contexts, the memory that the vertices may write, and
// its marks of known bytes.

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKS_CHECKEDRUN_H
#define POPULUS_RUNTIME_EMULATOR_CHECKS_CHECKEDRUN_H

#include "runtime/Emulator/Checks/Checker.h"
#include "runtime/Emulator/Tile/Tile.h"

namespace populus::runtime::emulator {

class CheckedRun {
public:
  /// Until it has been kept or put back the tile's contexts have no watchers
  /// but those that record.
  CheckedRun(Tile &tile, const Executable &executable, Range vertices,
             Checker &checker);
  CheckedRun(const CheckedRun &) = delete;
  CheckedRun &operator=(const CheckedRun &) = delete;

  /// Begins the check of all accesses of the vertices.
  void check();
  void beginVertex(std::uint32_t vertex) { state.check.beginVertex(vertex); }
  bool isGood() const { return state.check.goesOn(); }
  /// The signatures of the vertices' accesses (ProvenAccesses.h).
  std::vector<std::uint64_t> signatures() const {
    return state.check.signatures();
  }

  void keep();
  void putBack();
  /// Undoes everything except the bytes that a good check has found to be
  /// known, and ends the check.
  void rewind();

private:
  struct Piece {
    Address address;
    std::uint32_t bytes;
    bool isStack; // each vertex forgets what is known of it
  };
  /// The state that all runs of a thread share.
  struct State {
    QuickCheck check;
    Tile tile;
    std::vector<Piece> pieces;
    std::vector<std::uint8_t> memory; // of the pieces, one after the other
    std::vector<std::uint8_t> known;
  };
  static State &stateOfThread();

  void saveMemory(const Executable &executable, Range vertices,
                  const TileSetup &setup);
  void removeWatchers();
  template <typename Restore> void restore(Restore restorePiece);
  void end();

  State &state;
  Tile &tile;
  const QuickCheck::Subject subject;
  bool isChecking = false;
};

} // namespace populus::runtime::emulator

#endif
