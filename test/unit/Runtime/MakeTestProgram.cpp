// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a small executable for the lit tests of ipu-run: make-test-program
// KIND FILE, with KIND cpu, ipu-model or ipu. Input "in" and output "out" are
// four floats; the output is 2.5 times the input.

#include "TestPrograms.h"

#include "runtime/Format/Ipux.h"

#include <cstdio>
#include <string>

using namespace populus::runtime;
using namespace populus::runtime::test;

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const std::string kind = argv[1];
  if (kind == "ipu")
    writeExecutable(emulatedScaleProgram(), argv[2]);
  else
    writeExecutable(
        scaleProgram(kind == "cpu" ? DeviceKind::Cpu : DeviceKind::IpuModel),
        argv[2]);
  return 0;
}
