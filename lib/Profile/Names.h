// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the kinds of programs and memory, in the user guide and on the page.

#ifndef POPULUS_LIB_PROFILE_NAMES_H
#define POPULUS_LIB_PROFILE_NAMES_H

#include "runtime/Format/Executable.h"

#include <vector>

namespace populus::profile {

/// Activities that cycles are attributed to.
enum class Activity { Compute, Exchange, Sync, Host, Control, Count };
const char *nameOf(Activity activity);
/// Returns Control for an unknown kind.
Activity activityOf(runtime::StepKind kind);

/// Returns "Unknown" for an unknown kind; a file may have one.
const char *programType(runtime::StepKind kind);
/// Labels of the kinds on the page, and their activities, by the kinds'
/// numbers.
std::vector<const char *> programLabels();
std::vector<const char *> programActivities();
const char *categoryName(runtime::MemoryCategory category);
/// Printed label of a category: "Vertex Code".
const char *categoryLabel(runtime::MemoryCategory category);
/// Short labels of the categories on the page, by the categories' numbers.
std::vector<const char *> categoryShortLabels();

} // namespace populus::profile

#endif
