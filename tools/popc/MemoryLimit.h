// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged bitcode, or a source with enormous arrays, can ask the compiler for
// any amount of memory. Without a limit the machine would be slow or end other
// programs before this one.

#ifndef POPULUS_TOOLS_POPC_MEMORYLIMIT_H
#define POPULUS_TOOLS_POPC_MEMORYLIMIT_H

#include <string>

namespace populus {

/// Lets the process have so much memory of its own, in GiB, if it may have more
/// now. POPULUS_MEMORY_LIMIT, a number of GiB or "off", goes before the
/// default. Returns what is wrong with that variable, or nothing. Where the
/// limit is reached, the compiler says so (lib/Codelet/CrashGuard.h).
std::string limitMemory(unsigned defaultGigabytes);

} // namespace populus

#endif
