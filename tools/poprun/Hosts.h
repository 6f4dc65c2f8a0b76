// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of machines.

#ifndef POPULUS_TOOLS_POPRUN_HOSTS_H
#define POPULUS_TOOLS_POPRUN_HOSTS_H

#include <string>
#include <vector>

namespace populus::poprun {

/// The machines of a list: "a,b" are a and b, "a[0-2,4]" are a0, a1, a2, a4.
/// Throws UsageError.
std::vector<std::string> hostsOf(const std::string &list);

/// The hosts of a file, one in each line. Empty lines and comments (#) are
/// skipped.
std::vector<std::string> hostsOfFile(const std::string &path);

} // namespace populus::poprun

#endif
