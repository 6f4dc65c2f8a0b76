// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source lines of codelets, read from where the compiler read them.

#ifndef POPULUS_LIB_PROFILE_SOURCETEXT_H
#define POPULUS_LIB_PROFILE_SOURCETEXT_H

#include "lib/Profile/Report.pb.h"

#include <string>
#include <vector>

namespace populus::profile {

/// Returns the lines of a vertex type's source file; none if it is not there
/// any more.
std::vector<std::string> sourceOf(const report::VertexType &type);

/// Returns the lines of a source file, likewise.
std::vector<std::string> sourceOf(const std::string &file);

} // namespace populus::profile

#endif
