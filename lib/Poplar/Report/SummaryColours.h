// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colours of printed summaries. The option "colours" of a summary decides;
// without it CLICOLOR_FORCE, and on a terminal CLICOLOR, as other programs have
// it.

#ifndef POPULUS_LIB_POPLAR_REPORT_SUMMARYCOLOURS_H
#define POPULUS_LIB_POPLAR_REPORT_SUMMARYCOLOURS_H

#include <poplar/OptionFlags.hpp>

#include <ostream>
#include <string>

namespace poplar::core {

enum class Colour { Heading, Compute, Exchange, Host, Sync, Wrong };

class SummaryColours {
public:
  SummaryColours(const std::ostream &out, const OptionFlags &options);

  /// `text` between the codes for a terminal, or as it is.
  std::string operator()(Colour colour, const std::string &text) const;

private:
  bool areOn;
};

} // namespace poplar::core

#endif
