// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Another name of <popart/operatoridentifier.hpp>.

#ifndef POPULUS_INCLUDE_POPART_OPIDENTIFIER_HPP
#define POPULUS_INCLUDE_POPART_OPIDENTIFIER_HPP

#include <popart/operatoridentifier.hpp>

#endif
