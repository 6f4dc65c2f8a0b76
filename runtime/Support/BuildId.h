// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which build of a program or library is running: what caches of results that
// depend on its code have in their keys.

#ifndef POPULUS_RUNTIME_SUPPORT_BUILDID_H
#define POPULUS_RUNTIME_SUPPORT_BUILDID_H

#include <string>

namespace populus::runtime {

/// The build ID, a hash that the linker made of all of the content, of the
/// loaded program or library that `address` is in. Empty if it has none.
std::string buildIdOf(const void *address);

} // namespace populus::runtime

#endif
