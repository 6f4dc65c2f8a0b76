// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the words of a code image: the instruction or bundle that begins at a
// word, with its operands. An instruction may begin at every word. The
// interpreter's slots and the translator use the result.

#ifndef POPULUS_RUNTIME_EMULATOR_CODE_DECODE_H
#define POPULUS_RUNTIME_EMULATOR_CODE_DECODE_H

#include "runtime/Emulator/Code/DecodeTable.h"
#include "runtime/Emulator/Machine/Instruction.h"
#include "runtime/Format/Executable.h"

#include <optional>
#include <string>

namespace populus::runtime::emulator {

/// The order in which the halves of a bundle run, so that both read the
/// registers as they were before it. AuxAside: the auxiliary half runs first
/// and writes to a spare register that nothing else writes; its result moves to
/// the destination after the main half.
enum class PairOrder { AuxFirst, MainFirst, AuxAside };
inline constexpr Register AsideResult = SpareA + 2;
/// Entries of the auxiliary operands that say where, and how many words.
inline constexpr unsigned AsideRegister = 4;
inline constexpr unsigned AsideWords = 5;

struct DecodedSlot {
  const RowInfo *main; // or the lone instruction
  const RowInfo *aux;  // null if there is no bundle
  Operands mainOperands;
  Operands auxOperands;
  PairOrder order;

  unsigned length() const { return mainOperands.lengthOrTurns; }
  unsigned turns() const { return auxOperands.lengthOrTurns; }
};

/// The word at an index of the image's text.
std::uint32_t wordOf(const CodeImage &image, std::size_t index);

/// Decodes the slot that begins at a word of the image's text; nothing if it is
/// illegal.
std::optional<DecodedSlot> decodeSlot(const CodeImage &image,
                                      std::size_t index);

/// Returns whether the slot is a hardware loop, and the number of its bundles.
bool isRepeat(const DecodedSlot &slot);
std::uint32_t repeatedBundles(const DecodedSlot &slot);
/// The turns of one round of a hardware loop at `index`; nothing: its body is
/// not a sequence of aligned bundles without control and system instructions.
std::optional<std::int64_t> repeatedTurns(const CodeImage &image,
                                          std::size_t index,
                                          const DecodedSlot &slot);

/// Returns the target of a branch with an immediate; nothing for other
/// instructions.
std::optional<Address> branchTarget(const DecodedSlot &slot);

/// The bit that marks the first word of a bundle.
inline constexpr std::uint32_t BundleBit = 0x80000000;

/// The row that an instruction word is of, or null. The bundle bit is ignored.
const RowInfo *findRow(std::uint32_t word);

/// The mnemonic of an instruction word, or nothing.
std::string mnemonicOf(std::uint32_t word);

} // namespace populus::runtime::emulator

#endif
