// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated rows, compiled once.

#include "runtime/Emulator/Code/DecodeTable.h"

namespace populus::runtime::emulator {

namespace {
#include "runtime/Emulator/DecodeTable.inc"
} // namespace

std::span<const RowInfo> rows() { return Rows; }

} // namespace populus::runtime::emulator
