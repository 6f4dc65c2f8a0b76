// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filling in the patterns of the instruction table. %N stands for operand N of
// the row, @N for one that is a code address in words.

#include "runtime/Emulator/Code/Assembly.h"

#include "runtime/Emulator/Code/Decode.h"

#include <cstdio>

namespace populus::runtime::emulator {

namespace {

std::string hexText(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", value);
  return text;
}

std::string registerText(const OperandInfo &info, std::uint32_t number) {
  const bool isM =
      info.kind == OperandKind::MRead || info.kind == OperandKind::MWrite;
  std::string text = (isM ? "$m" : "$a") + std::to_string(number);
  if (info.words > 1)
    text += ':' + std::to_string(number + info.words - 1);
  return text;
}

std::string operandText(const OperandInfo &info, std::uint32_t word) {
  const std::uint32_t field = (word >> info.low) & ((1u << info.width) - 1);
  switch (info.kind) {
  case OperandKind::Unsigned:
    return std::to_string(field);
  case OperandKind::Signed: {
    const unsigned unused = 32 - info.width;
    return std::to_string(static_cast<std::int32_t>(field << unused) >> unused);
  }
  case OperandKind::High12:
    return hexText(field << 20);
  default:
    return registerText(info, field);
  }
}

} // namespace

std::string assemblyOf(std::uint32_t word) {
  const RowInfo *row = findRow(word);
  if (!row)
    return ".word " + hexText(word);
  std::string text;
  for (const char *at = row->assembly; *at; ++at) {
    const bool isTarget = *at == '@' && at[1] >= '0' && at[1] <= '9';
    if (*at != '%' && !isTarget) {
      text += *at;
      continue;
    }
    const OperandInfo &info = row->operands[*++at - '0'];
    text += isTarget
                ? hexText(((word >> info.low) & ((1u << info.width) - 1)) * 4)
                : operandText(info, word);
  }
  return text;
}

std::string assemblyOf(std::uint32_t first, std::uint32_t second) {
  if ((first & BundleBit) == 0)
    return assemblyOf(first);
  return "{ " + assemblyOf(first & ~BundleBit) + "; " + assemblyOf(second) +
         " }";
}

} // namespace populus::runtime::emulator
