/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What scale.cpp depends on.
 */
#define FACTOR 3
