// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of the interface, which is that of the PopART that it follows.

#ifndef POPULUS_INCLUDE_POPART_VERSION_HPP
#define POPULUS_INCLUDE_POPART_VERSION_HPP

#include <string>

namespace popart {

namespace core {

struct VersionNumber {
  int major, minor, point;
};

VersionNumber versionNumber();
/// "3.4.0".
std::string versionString();
/// Hash that identifies the build.
std::string packageHash();

} // namespace core

} // namespace popart

#endif
