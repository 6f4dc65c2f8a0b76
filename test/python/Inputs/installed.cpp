// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program, for the headers and libraries of an installed tree.
#include <popart/builder.hpp>

#include <iostream>

int main() {
  auto builder = popart::Builder::create();
  std::string x =
      builder->addInputTensor(popart::TensorInfo("FLOAT", popart::Shape{2}));
  std::cout << x << " " << builder->aiOnnxOpset9().relu({x}) << "\n";
}
