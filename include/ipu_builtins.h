/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions __builtin_ipu_* are known to the compiler for IPU targets; this
 * header exists for sources that include one (docs/popc.md lists them).
 */

#ifndef POPULUS_INCLUDE_IPU_BUILTINS_H
#define POPULUS_INCLUDE_IPU_BUILTINS_H

#include <ipudef.h>

#endif
