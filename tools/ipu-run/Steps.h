// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output about the executed steps of a program: a list in order, or the steps
// that take the most time.

#ifndef POPULUS_TOOLS_IPU_RUN_STEPS_H
#define POPULUS_TOOLS_IPU_RUN_STEPS_H

#include "runtime/Session/Session.h"

#include <iosfwd>

namespace populus::run {

/// The steps that the session has recorded, with their cycles.
void printTrace(std::ostream &out, const runtime::Session &session);

/// The same as sums over the steps of one name in `runs` runs, the longest
/// first: cycles, share, how often, and, of compute sets, the balance of tiles
/// (1: all work all the time).
void printProfile(std::ostream &out, const runtime::Session &session,
                  unsigned runs);
void printProfileJson(std::ostream &out, const runtime::Session &session,
                      unsigned runs);

} // namespace populus::run

#endif
