// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates hardware loops to host code. LoopEmitter.cpp has an example.

#ifndef POPULUS_LIB_TRANSLATE_LOOPEMITTER_H
#define POPULUS_LIB_TRANSLATE_LOOPEMITTER_H

#include "lib/Translate/MatrixLoop.h"
#include "lib/Translate/RegionBuilder.h"
#include "lib/Translate/RepeatGuards.h"
#include "lib/Translate/StateCopy.h"

#include <optional>

namespace populus::translate {

class LoopEmitter : public RegionBuilder {
public:
  using RegionBuilder::RegionBuilder;

protected:
  /// Emits a hardware loop. If all accesses of a bundle have been found to be
  /// good in advance, the bundle does not test them. If one is bad, the
  /// interpreter executes the loop and finds the fault.
  void emitRepeat(std::uint32_t at, const RegionSlot &slot);

  /// The parts of a hardware loop.
  struct Loop {
    std::uint32_t body; // slot of the first bundle
    std::int64_t turns; // of a round
    CodePiece piece;
    RepeatGuards guards;
    std::vector<RepeatedRange> stores;
    std::optional<StateCopy> copy;
    /// If the results of the matrix units tell all that is unusual.
    std::optional<Rounded> unitsTell;
  };

  /// Leaves the region in front of what accesses bad memory.
  void requireGood(const std::vector<RepeatGuards> &all, std::uint32_t at);
  /// The bundles of the loop at a slot; without its count.
  CodePiece pieceOfLoop(std::uint32_t at, const RegionSlot &slot) const;
  void ifAnyRounds(llvm::Value *count, llvm::function_ref<void()> emit);
  /// Emits all rounds of a loop that has some, tested and noted.
  void emitRounds(const Loop &loop, llvm::Value *mark);
  void emitExactRounds(const Loop &loop, llvm::Value *count);
  /// Emits the end of a loop.
  void endRepeat(const Loop &loop);
  llvm::Value *turnsOf(const Loop &loop);
  /// Emits the notes of recording code. `note` notes a range, but does not make
  /// room for more of them; `noteEach` notes an access by itself.
  void noteRanges(const RepeatGuards &guards,
                  const std::vector<runtime::emulator::DecodedSlot> &slots,
                  llvm::function_ref<void(const RepeatedRange &)> note,
                  llvm::function_ref<void(const RepeatedAccess &)> noteEach);
  bool
  isDisordered(const RepeatGuards &guards,
               const std::vector<runtime::emulator::DecodedSlot> &slots) const;
  /// Ends the notes; emitted behind the noted code.
  void endDisorder(const RepeatGuards &guards,
                   const std::vector<runtime::emulator::DecodedSlot> &slots);
  void noteEach(const RepeatedAccess &access, llvm::Value *rounds);
  void noteAccesses(const Loop &loop);
  /// Before recording code notes what it overwrites, which is kept then: so it
  /// need not be kept again until it is known to have been right. Null in other
  /// code.
  llvm::Value *markOverwritten();
  /// Returns whether everything noted since the mark can be put back.
  llvm::Value *keepsAllSince(llvm::Value *mark);
  /// Rounds of which all that they store can be kept here.
  llvm::Value *roundsAtOnce(const Loop &loop);
  /// Copies what `number` rounds store to, of which `left` are left with them.
  /// `offset`: of the place that they are kept at.
  void copyStores(llvm::StringRef how, const Loop &loop, llvm::Value *left,
                  llvm::Value *number, unsigned offset = 0);

  // ---- The usual case -------------------------------------------------------
  // The fast code assumes that nothing unusual happens. It gathers doubts about
  // that, and keeps the old contents of memory until there is no doubt left.

  /// `unitsTell`: results tell all.
  void beginDoubts(std::optional<Rounded> unitsTell);
  void endDoubts(std::optional<Rounded> unitsTell, llvm::BasicBlock *right,
                 llvm::BasicBlock *wrong);
  void moveTriples(const RepeatGuards &guards, llvm::Value *rounds);
  /// Slots that could do something unusual.
  std::size_t
  numAskingForUsual(const std::vector<runtime::emulator::DecodedSlot> &slots);
  void reserveKept(unsigned bytes);
  llvm::Value *keptAt(unsigned offset);

  // ---- Rounds ---------------------------------------------------------------

  /// A loop that counts down.
  struct Rounds {
    llvm::PHINode *left;
    llvm::PHINode *round; // counts up, from the first round of all
    llvm::BasicBlock *first;
  };
  /// `left` rounds are left, of which `count` are done here.
  Rounds beginRounds(const Loop &loop, llvm::Value *count,
                     llvm::Value *left = nullptr);
  /// Goes on at `then`.
  void endRounds(const Rounds &rounds, llvm::BasicBlock *then);

  // ---- Where accesses go ----------------------------------------------------

  /// Returns the addresses of the first round's accesses, without their
  /// offsets: by bundle and access.
  using Places = std::vector<std::vector<llvm::Value *>>;
  Places placesOf(const RepeatGuards &guards);
  llvm::Value *placeAt(llvm::Value *place, std::int64_t offset);
  std::vector<llvm::Value *> noPlaces();
  /// The bundles of a loop; `fault` gets the slot.
  void emitRound(const Loop &loop, const Places &first, const Rounds &rounds,
                 bool usual, llvm::function_ref<void(std::uint32_t)> fault);

  // ---- The copy of the state ------------------------------------------------

  void enter(const StateCopy &copy);
  void leave(const StateCopy &copy);

private:
  /// Emits the rounds on the assumption that nothing unusual happens, which is
  /// nearly always right. The rounds then have no branches, and LLVM can do
  /// several at once. If the assumption is wrong, the state is still the old
  /// one, and so is memory after the undo. Returns the rounds that are left for
  /// the exact form; if there are none, control goes on at `after`.
  llvm::Value *emitUsualRounds(const Loop &loop, llvm::Value *mark,
                               llvm::BasicBlock *after);
  /// Returns whether the fast version has something to leave out.
  bool isFasterIfUsual(const Loop &loop, llvm::Value *mark);
  /// Returns whether enough rounds are done at once to be worth keeping the old
  /// contents of memory.
  llvm::Value *isWorthKeeping(const Loop &loop, llvm::Value *atOnce);
  /// Rounds that have been done when so many are left.
  llvm::Value *roundOf(const Loop &loop, llvm::Value *left);

  llvm::AllocaInst *kept = nullptr; // what is overwritten
};

} // namespace populus::translate

#endif
