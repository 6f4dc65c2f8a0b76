// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -*- C++ -*-
//
// A class of ranges, which exist from C++20 on. Before, libc++ includes the
// header for nothing: <__algorithm/for_each.h> would cost as much as all other
// algorithms together.

#ifndef POPULUS_INCLUDE_MOVABLE_BOX_H
#define POPULUS_INCLUDE_MOVABLE_BOX_H

#if __cplusplus > 201703L
#include_next <__ranges/movable_box.h>
#endif

#endif
