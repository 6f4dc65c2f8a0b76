// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a text into words as a shell does, without expansions.

#ifndef POPULUS_TOOLS_POPRUN_WORDS_H
#define POPULUS_TOOLS_POPRUN_WORDS_H

#include <string>
#include <string_view>
#include <vector>

namespace populus::poprun {

/// 'a "b c"\nd' has the words a, b c and d. Throws UsageError where a quote is
/// not closed.
std::vector<std::string> wordsOf(std::string_view text);

/// The opposite: words that need quotes have them.
std::string quoted(const std::vector<std::string> &words);

} // namespace populus::poprun

#endif
