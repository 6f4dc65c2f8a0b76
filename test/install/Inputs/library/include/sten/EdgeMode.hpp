// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blur's treatment of elements beyond the edges, for codelets.

#pragma once
namespace sten {
enum class Edge { CLAMP, ZERO };
}
