// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tutorial 1 of the user guide, programs and variables: where it starts.

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <iostream>
#include <vector>

using namespace poplar;

int main() {
  // The steps of the tutorial add to this function: a device and a graph,
  // variables and their tiles, a control program, an engine.
  return 0;
}
