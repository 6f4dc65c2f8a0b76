// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of instructions says which registers there are in each operand.

#include "lib/Translate/StateCopy.h"

namespace populus::translate {

using namespace runtime::emulator;

namespace {

void addA(StateCopy &copy, unsigned first, unsigned words) {
  for (unsigned r = first; r != first + words; ++r) {
    copy.a |= 1u << r;
    if (words != 1)
      copy.pairs |= 1u << (r / 2);
  }
}

void note(StateCopy &copy, const RowInfo &row, const Operands &operands) {
  for (unsigned i = 0; i != row.numOperands; ++i) {
    const OperandInfo &info = row.operands[i];
    const unsigned first = operands.r[info.slot % sizeof(operands.r)];
    if (info.kind == OperandKind::ARead || info.kind == OperandKind::AWrite)
      addA(copy, first, info.words);
    else if (info.kind <= OperandKind::MWrite)
      copy.m |= ((1u << info.words) - 1) << first;
  }
}

} // namespace

std::uint32_t StateCopy::singles() const {
  std::uint32_t result = a;
  for (unsigned pair = 0; pair != 16; ++pair)
    if (pairs >> pair & 1)
      result &= ~(3u << (2 * pair));
  return result;
}

std::optional<StateCopy> stateCopyFor(SemanticsModule &semantics,
                                      const std::vector<DecodedSlot> &bundles) {
  StateCopy copy;
  for (const DecodedSlot &bundle : bundles) {
    if (!semantics.operation(*bundle.main))
      return std::nullopt;
    note(copy, *bundle.main, bundle.mainOperands);
    if (!bundle.aux)
      continue;
    if (bundle.aux->isSystem || !semantics.operation(*bundle.aux))
      return std::nullopt;
    note(copy, *bundle.aux, bundle.auxOperands);
    if (bundle.order == PairOrder::AuxAside)
      addA(copy, bundle.auxOperands.r[AsideRegister],
           bundle.auxOperands.r[AsideWords]);
  }
  return copy;
}

} // namespace populus::translate
