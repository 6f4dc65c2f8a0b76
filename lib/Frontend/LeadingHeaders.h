// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the library's headers that a source includes before its first
// declaration: these can be compiled once for all sources that begin alike.
// Comments, macros, conditions and the user's own headers may stand before and
// between them, and a user's header may include them. The compiler then sees
// the library's headers first, and all the other lines after them. The result
// is the same only if neither side knows the other's macros. The caller has to
// check that, because it knows the contents of the headers.

#ifndef POPULUS_LIB_FRONTEND_LEADINGHEADERS_H
#define POPULUS_LIB_FRONTEND_LEADINGHEADERS_H

#include "lib/Frontend/Compile.h"

namespace populus::frontend {

/// One event at the start of a source; events are kept in order.
struct LeadingStep {
  enum Kind {
    Includes,     // a header of the library
    DefinesMacro, // or undefines it
    UsesMacro,    // in a condition, or to be replaced
  } kind;
  std::string name;

  friend bool operator==(const LeadingStep &, const LeadingStep &) = default;
};

/// The steps at the start of the source of `job` up to its first declaration,
/// or to the first directive that has other effects. A header is one of the
/// library if it is not found with the arguments of `job`, which have to leave
/// out the directories of the library.
std::vector<LeadingStep> leadingSteps(const CompileJob &job);

} // namespace populus::frontend

#endif
