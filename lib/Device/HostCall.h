/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls to the host, the tile's side of runtime/Session/HostCalls.h.
 */

#ifndef POPULUS_LIB_DEVICE_HOSTCALL_H
#define POPULUS_LIB_DEVICE_HOSTCALL_H

enum HostCall {
  HostCallExit = 1,
  HostCallWrite = 2,
  HostCallRead = 3,
  HostCallTime = 4,
};

/* The result of the call; 0 where there is none. */
int __populus_host_call(int number, int first, int second, int third);

#endif
