// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static facts of a codelet's code: its instructions, their loop nesting, their
// use of the stack, and their source lines.

#ifndef POPULUS_LIB_PROFILE_CODEFACTS_H
#define POPULUS_LIB_PROFILE_CODEFACTS_H

#include "lib/Profile/Report.pb.h"
#include "runtime/Format/Executable.h"
#include "runtime/Session/InstructionCounts.h"

#include <span>

namespace populus::profile {

/// Sets code_bytes, code and source of a vertex type of the emulated IPU. Its
/// code begins at `entry` of `image`.
void describeCode(const runtime::CodeImage &image, runtime::Address entry,
                  report::VertexType &type);

/// Adds counts of a type's code, which begins at `entry` of an image, to its
/// lines. Other images may have it at different addresses.
void addCounts(const runtime::CodeImage &image, runtime::Address entry,
               std::span<const runtime::InstructionCount> counts,
               report::VertexType &type);

} // namespace populus::profile

#endif
