/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What the start code tells clock().
 */

#ifndef POPULUS_LIB_DEVICE_CLOCK_H
#define POPULUS_LIB_DEVICE_CLOCK_H

void __populus_set_clock(unsigned hz);

#endif
