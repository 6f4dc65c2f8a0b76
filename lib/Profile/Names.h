// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user guide calls kinds of programs and of memory, and what the page
// calls them.

#ifndef POPULUS_LIB_PROFILE_NAMES_H
#define POPULUS_LIB_PROFILE_NAMES_H

#include "runtime/Format/Executable.h"

#include <vector>

namespace populus::profile {

/// What cycles are spent on.
enum class Activity { Compute, Exchange, Sync, Host, Control, Count };
const char *nameOf(Activity activity);
/// Control for a kind that there is not.
Activity activityOf(runtime::StepKind kind);

/// "Unknown" for a kind that there is not, which a file may have.
const char *programType(runtime::StepKind kind);
/// By the numbers of kinds: what the page calls them, and their activities.
std::vector<const char *> programLabels();
std::vector<const char *> programActivities();
const char *categoryName(runtime::MemoryCategory category);
/// The words that are printed for it: "Vertex Code".
const char *categoryLabel(runtime::MemoryCategory category);
/// What the page calls the categories, by their numbers.
std::vector<const char *> categoryShortLabels();

} // namespace populus::profile

#endif
