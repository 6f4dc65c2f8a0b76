// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name under which programs include the classes of opsets.

#ifndef POPULUS_INCLUDE_POPART_BUILDER_GEN_HPP
#define POPULUS_INCLUDE_POPART_BUILDER_GEN_HPP

#include <popart/builder.hpp>
#include <popart/opsets.hpp>

#endif
