// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Alias of popart::any with the name that programs expect here.

#ifndef POPULUS_INCLUDE_POPART_VENDORED_ANY_HPP
#define POPULUS_INCLUDE_POPART_VENDORED_ANY_HPP

#include <popart/any.hpp>

namespace linb {

using popart::any;
using popart::any_cast;
using bad_any_cast = std::bad_cast;

} // namespace linb

#endif
