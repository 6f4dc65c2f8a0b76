/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The FILE that is stdin.
 */

#ifndef POPULUS_LIB_DEVICE_FILES_H
#define POPULUS_LIB_DEVICE_FILES_H

#include <stdio.h>

extern FILE __populus_input;

#endif
