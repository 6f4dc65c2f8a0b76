// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a small executable for the lit tests of ipu-run: make-test-program
// KIND FILE, with KIND cpu, ipu-model, ipu, endless or stray. Input "in" and
// output "out" are four floats; the output is 2.5 times the input, except that
// the vertex of "endless" never ends. That of "stray" writes one element behind
// its output, too.

#include "TestPrograms.h"

#include "runtime/Format/Ipux.h"
#include "test/unit/Emulator/Assembler.h"

#include <cstdio>
#include <cstring>
#include <string>

using namespace populus::runtime;
using namespace populus::runtime::test;

/// The vertex is a branch to itself.
static Executable endlessProgram() {
  Executable exe = emulatedScaleProgram();
  Assembler code;
  code("BRI", {code.hereWord()});
  std::memcpy(exe.images[0].bytes.data(), code.words.data(), 4);
  return exe;
}

/// A round more of the loop, whose count is the fourth word.
static Executable strayProgram() {
  Executable exe = emulatedScaleProgram();
  Assembler code;
  code("SETZI_m", {1, 4});
  std::memcpy(exe.images[0].bytes.data() + 12, code.words.data(), 4);
  return exe;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const std::string kind = argv[1];
  if (kind == "ipu")
    writeExecutable(emulatedScaleProgram(), argv[2]);
  else if (kind == "endless")
    writeExecutable(endlessProgram(), argv[2]);
  else if (kind == "stray")
    writeExecutable(strayProgram(), argv[2]);
  else
    writeExecutable(
        scaleProgram(kind == "cpu" ? DeviceKind::Cpu : DeviceKind::IpuModel),
        argv[2]);
  return 0;
}
