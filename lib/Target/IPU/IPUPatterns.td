// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code generator selects for which operation. The instruction table says
// what exists; this file says when it is used.
