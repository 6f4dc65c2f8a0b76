/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Says which compressed forms of pointers and lists COMPACT_PTR and
 * COMPACT_DELTAN choose and which forms code may expect where it asks for them
 * by a macro VECTOR_AVAIL_* or VECTORLIST_AVAIL_*. Scaled pointers and lists of
 * offsets cannot express everything that a tile's memory may hold, so their
 * macros are not defined; who wants them names them (FieldTypes.hpp). Assembly
 * includes this file too.
 */

#ifndef POPLAR_AVAILABLEVTYPES_H
#define POPLAR_AVAILABLEVTYPES_H

#ifdef __IPU__
#define VECTOR_AVAIL_SHORT_SPAN 1
#endif

#endif
