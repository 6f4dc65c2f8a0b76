/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Says which compressed forms of pointers and lists may stand in vertex state,
 * by macros VECTOR_AVAIL_* and VECTORLIST_AVAIL_*: here none is, all pointers
 * have 32 bits on a tile (FieldTypes.hpp). Assembly includes this file too.
 */

#ifndef POPLAR_AVAILABLEVTYPES_H
#define POPLAR_AVAILABLEVTYPES_H

#endif
