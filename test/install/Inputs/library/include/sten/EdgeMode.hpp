// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the blur makes of elements beyond the edges, for codelets.

#pragma once
namespace sten {
enum class Edge { CLAMP, ZERO };
}
