// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine with a stack of numbers.

#include "lib/Debugger/DwarfLocations.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/DebugInfo/DWARF/DWARFExpression.h>

#include <cstring>

namespace populus::debugger {

using namespace llvm;

namespace {

bool isRegister(unsigned operation) {
  return operation >= dwarf::DW_OP_reg0 && operation <= dwarf::DW_OP_reg31;
}

class Evaluator {
public:
  Evaluator(DWARFUnit &unit, const Registers &registers, const Memory &memory,
            std::optional<std::uint64_t> frameBase)
      : unit(unit), registers(registers), memory(memory), frameBase(frameBase) {
  }

  /// Nothing: the expression needs something that is not there.
  std::optional<Location> run(ArrayRef<std::uint8_t> bytes) {
    DWARFExpression expression(
        DataExtractor(toStringRef(bytes), true, unit.getAddressByteSize()),
        unit.getAddressByteSize(), unit.getFormParams().Format);
    std::vector<std::uint64_t> stack;
    Location::Kind kind = Location::Kind::Memory;
    for (const DWARFExpression::Operation &operation : expression)
      if (operation.isError() || !apply(operation, stack, kind))
        return std::nullopt;
    if (stack.empty())
      return std::nullopt;
    return Location{kind, stack.back()};
  }

private:
  bool push(std::vector<std::uint64_t> &stack,
            std::optional<std::uint64_t> value) {
    if (value)
      stack.push_back(*value);
    return value.has_value();
  }

  bool apply(const DWARFExpression::Operation &operation,
             std::vector<std::uint64_t> &stack, Location::Kind &kind) {
    const unsigned code = operation.getCode();
    const auto operand = [&](unsigned i) { return operation.getRawOperand(i); };
    if (isRegister(code) || code == dwarf::DW_OP_regx) {
      kind = Location::Kind::Register;
      return push(stack, code == dwarf::DW_OP_regx ? operand(0)
                                                   : code - dwarf::DW_OP_reg0);
    }
    if (code >= dwarf::DW_OP_breg0 && code <= dwarf::DW_OP_breg31)
      return pushSum(stack, code - dwarf::DW_OP_breg0, operand(0));
    if (code >= dwarf::DW_OP_lit0 && code <= dwarf::DW_OP_lit31)
      return push(stack, code - dwarf::DW_OP_lit0);
    switch (code) {
    case dwarf::DW_OP_bregx:
      return pushSum(stack, static_cast<unsigned>(operand(0)), operand(1));
    case dwarf::DW_OP_fbreg:
      return frameBase &&
             push(stack, static_cast<std::uint32_t>(*frameBase + operand(0)));
    case dwarf::DW_OP_addr:
    case dwarf::DW_OP_const1u:
    case dwarf::DW_OP_const1s:
    case dwarf::DW_OP_const2u:
    case dwarf::DW_OP_const2s:
    case dwarf::DW_OP_const4u:
    case dwarf::DW_OP_const4s:
    case dwarf::DW_OP_constu:
    case dwarf::DW_OP_consts:
      return push(stack, operand(0));
    case dwarf::DW_OP_addrx:
    case dwarf::DW_OP_constx:
      if (const auto address = unit.getAddrOffsetSectionItem(
              static_cast<std::uint32_t>(operand(0))))
        return push(stack, address->Address);
      return false;
    case dwarf::DW_OP_plus_uconst:
      if (stack.empty())
        return false;
      stack.back() += operand(0);
      return true;
    case dwarf::DW_OP_plus:
    case dwarf::DW_OP_minus:
    case dwarf::DW_OP_mul:
    case dwarf::DW_OP_and:
    case dwarf::DW_OP_or:
    case dwarf::DW_OP_shl:
      return applyBinary(code, stack);
    case dwarf::DW_OP_deref:
      return dereference(stack);
    case dwarf::DW_OP_stack_value:
      kind = Location::Kind::Constant;
      return !stack.empty();
    default:
      return false;
    }
  }

  bool pushSum(std::vector<std::uint64_t> &stack, unsigned number,
               std::uint64_t offset) {
    const auto base = registers.byNumber(number);
    return base && push(stack, static_cast<std::uint32_t>(*base + offset));
  }

  static bool applyBinary(unsigned code, std::vector<std::uint64_t> &stack) {
    if (stack.size() < 2)
      return false;
    const std::uint64_t right = stack.back();
    stack.pop_back();
    std::uint64_t &left = stack.back();
    switch (code) {
    case dwarf::DW_OP_plus:
      left += right;
      break;
    case dwarf::DW_OP_minus:
      left -= right;
      break;
    case dwarf::DW_OP_mul:
      left *= right;
      break;
    case dwarf::DW_OP_and:
      left &= right;
      break;
    case dwarf::DW_OP_or:
      left |= right;
      break;
    default:
      left = right < 32 ? left << right : 0;
      break;
    }
    return true;
  }

  bool dereference(std::vector<std::uint64_t> &stack) {
    if (stack.empty())
      return false;
    std::uint32_t value = 0;
    try {
      memory.read(registers.tile, static_cast<Address>(stack.back()), &value,
                  sizeof(value));
    } catch (const DebugError &) {
      return false;
    }
    stack.back() = value;
    return true;
  }

  DWARFUnit &unit;
  const Registers &registers;
  const Memory &memory;
  const std::optional<std::uint64_t> frameBase;
};

} // namespace

std::optional<Location> evaluate(ArrayRef<std::uint8_t> expression,
                                 DWARFUnit &unit, const Registers &registers,
                                 const Memory &memory,
                                 std::optional<std::uint64_t> frameBase) {
  return Evaluator(unit, registers, memory, frameBase).run(expression);
}

std::optional<Value> valueAt(const Location &location, const TypePtr &type,
                             const Registers &registers) {
  Value value;
  value.type = type;
  const auto bytes = static_cast<std::uint32_t>(type->bytes);
  if (location.kind == Location::Kind::Memory) {
    value.segments = {
        {registers.tile, static_cast<Address>(location.value), bytes}};
    return value;
  }
  std::uint64_t bits = location.value;
  if (location.kind == Location::Kind::Register) {
    const auto number = static_cast<unsigned>(location.value);
    const auto low = registers.byNumber(number);
    if (!low)
      return std::nullopt;
    bits = *low;
    if (bytes > 4) {
      const auto high = registers.byNumber(number + 1);
      if (!high || bytes > 8)
        return std::nullopt;
      bits |= std::uint64_t(*high) << 32;
    }
  }
  if (bytes > sizeof(bits))
    return std::nullopt;
  value.bytes.resize(bytes);
  std::memcpy(value.bytes.data(), &bits, bytes);
  return value;
}

} // namespace populus::debugger
