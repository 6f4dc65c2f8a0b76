// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fetching a line of host memory ahead of its use. GCC takes a function that
// does nothing else for one without effects and removes its calls, loops and
// all, so there is something in it that it has to keep.

#ifndef POPULUS_RUNTIME_SUPPORT_PREFETCH_H
#define POPULUS_RUNTIME_SUPPORT_PREFETCH_H

namespace populus::runtime {

/// Lines of the hosts that matter, in bytes.
inline constexpr unsigned HostLine = 64;

enum class Access { Read, Write };

/// Fetches the line of a byte, which need not exist.
template <Access For> void prefetch(const void *byte) {
  __builtin_prefetch(byte, For == Access::Write);
  asm volatile("");
}

} // namespace populus::runtime

#endif
