// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Identifies the running build of a program or library, for the keys of caches
// whose entries depend on its code.

#ifndef POPULUS_RUNTIME_SUPPORT_BUILDID_H
#define POPULUS_RUNTIME_SUPPORT_BUILDID_H

#include <string>

namespace populus::runtime {

/// The build ID, a hash that the linker made of all of the content, of the
/// loaded program or library that `address` is in. Empty if it has none.
std::string buildIdOf(const void *address);

} // namespace populus::runtime

#endif
