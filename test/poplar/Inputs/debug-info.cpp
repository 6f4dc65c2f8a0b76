// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library's record of an operation, made before there is an engine.

#include <poplar/DebugContext.hpp>
#include <poplar/ProfileValue.hpp>

int main() {
  poplar::DebugInfo operation(poplar::DebugContext("operation"), "library");
  operation.setValue("size", 3);
}
