// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types for trip counts of loops.

#ifndef POPLAR_LOOPS_HPP
#define POPLAR_LOOPS_HPP

#include <ipudef.h>

namespace poplar {
using ::rptsize_t;
}

#endif
