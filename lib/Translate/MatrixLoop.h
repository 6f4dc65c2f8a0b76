// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hardware loops and straight lines in which only the matrix or the slim
// convolution unit touches the accumulators. Inputs and partial sums go into
// sums that leave later or stay, and a non-finite value stays non-finite on its
// way. So it is enough to test the results when they leave, all results of a
// position at once, and the accumulators at the end.

#ifndef POPULUS_LIB_TRANSLATE_MATRIXLOOP_H
#define POPULUS_LIB_TRANSLATE_MATRIXLOOP_H

#include "lib/Translate/RepeatGuards.h"

#include <optional>
#include <vector>

namespace populus::translate {

/// The format that results are rounded to.
enum class Rounded { Singles, Halves };

/// nop and fnop.
bool doesNothing(const runtime::emulator::RowInfo &row,
                 const runtime::emulator::Operands &operands);

/// Returns the format of the results of consecutive pieces if finished results
/// show every unusual event in them.
std::optional<Rounded> whetherResultsTell(const std::vector<CodePiece> &pieces);

} // namespace populus::translate

#endif
