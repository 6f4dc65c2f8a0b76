// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates of cycles, by vertex.

#pragma once
namespace poplar {
class Graph;
}
namespace sten {
void registerPerfFunctions(poplar::Graph &);
}
