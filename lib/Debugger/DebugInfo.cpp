// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads DWARF with LLVM's library. Location expressions are evaluated here,
// because LLVM only prints them: registers, frame offsets, constants and sums
// cover what the backend writes, and anything else counts as not known.

#include "lib/Debugger/DebugInfo.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFCompileUnit.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDebugFrame.h>
#include <llvm/DebugInfo/DWARF/DWARFExpression.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cstring>
#include <map>

namespace populus::debugger {

using namespace llvm;

namespace {

/// The result of a location expression.
struct Location {
  enum class Kind { Memory, Register, Constant };
  Kind kind = Kind::Memory;
  std::uint64_t value = 0; // an address, a register's number, or the value
};

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

/// The value at a location.
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

} // namespace

struct DebugInfo::Impl {
  StringMap<std::unique_ptr<MemoryBuffer>> sections;
  std::unique_ptr<DWARFContext> context;
  /// Call frame information; DWARFContext reads that of object files only.
  std::unique_ptr<DWARFDebugFrame> frames;
  std::map<std::uint64_t, TypePtr> types; // by offset

  TypePtr typeOf(DWARFDie die);
  TypePtr typeOfAttribute(const DWARFDie &die) {
    return typeOf(die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type));
  }
  TypePtr makeType(const DWARFDie &die);
  TypePtr baseType(const DWARFDie &die);
  TypePtr structType(const DWARFDie &die);
  TypePtr arrayType(const DWARFDie &die);
  std::optional<std::uint64_t> frameBase(const DWARFDie &function,
                                         const Registers &registers,
                                         const Memory &memory);
  void addVariables(const DWARFDie &scope, const DWARFDie &function,
                    const Registers &registers, const Memory &memory,
                    std::vector<Variable> &variables);
  Variable variable(const DWARFDie &die, const DWARFDie &function,
                    const Registers &registers, const Memory &memory);
};

namespace {

std::string nameOf(const DWARFDie &die) {
  const char *name = die.getShortName();
  return name ? name : "";
}

std::uint64_t unsignedAttribute(const DWARFDie &die, dwarf::Attribute name) {
  return dwarf::toUnsigned(die.find(name), 0);
}

/// A type that stands for another one.
bool isAlias(dwarf::Tag tag) {
  return tag == dwarf::DW_TAG_typedef || tag == dwarf::DW_TAG_const_type ||
         tag == dwarf::DW_TAG_volatile_type ||
         tag == dwarf::DW_TAG_restrict_type;
}

} // namespace

TypePtr DebugInfo::Impl::typeOf(DWARFDie die) {
  while (die && isAlias(die.getTag()))
    die = die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
  if (!die)
    return nullptr;
  auto known = types.find(die.getOffset());
  if (known == types.end())
    known = types.emplace(die.getOffset(), makeType(die)).first;
  return known->second;
}

TypePtr DebugInfo::Impl::makeType(const DWARFDie &die) {
  switch (die.getTag()) {
  case dwarf::DW_TAG_base_type:
    return baseType(die);
  case dwarf::DW_TAG_enumeration_type:
    return scalarType(
        Type::Kind::Signed,
        static_cast<unsigned>(unsignedAttribute(die, dwarf::DW_AT_byte_size)),
        nameOf(die));
  case dwarf::DW_TAG_pointer_type:
  case dwarf::DW_TAG_reference_type:
  case dwarf::DW_TAG_rvalue_reference_type: {
    auto type = std::make_shared<Type>();
    type->kind = Type::Kind::Pointer;
    type->bytes = 4;
    type->name = "pointer";
    type->target = [this, die] { return typeOfAttribute(die); };
    return type;
  }
  case dwarf::DW_TAG_structure_type:
  case dwarf::DW_TAG_class_type:
  case dwarf::DW_TAG_union_type:
    return structType(die);
  case dwarf::DW_TAG_array_type:
    return arrayType(die);
  default:
    return nullptr;
  }
}

TypePtr DebugInfo::Impl::baseType(const DWARFDie &die) {
  const auto bytes =
      static_cast<unsigned>(unsignedAttribute(die, dwarf::DW_AT_byte_size));
  Type::Kind kind = Type::Kind::Unsigned;
  switch (unsignedAttribute(die, dwarf::DW_AT_encoding)) {
  case dwarf::DW_ATE_float:
    kind = Type::Kind::Float;
    break;
  case dwarf::DW_ATE_boolean:
    kind = Type::Kind::Boolean;
    break;
  case dwarf::DW_ATE_signed:
  case dwarf::DW_ATE_signed_char:
    kind = Type::Kind::Signed;
    break;
  default:
    break;
  }
  return scalarType(kind, bytes, nameOf(die));
}

TypePtr DebugInfo::Impl::structType(const DWARFDie &die) {
  auto type = std::make_shared<Type>();
  type->kind = Type::Kind::Struct;
  type->name = nameOf(die);
  type->bytes = unsignedAttribute(die, dwarf::DW_AT_byte_size);
  for (const DWARFDie &child : die) {
    const bool isBase = child.getTag() == dwarf::DW_TAG_inheritance;
    if (!isBase && child.getTag() != dwarf::DW_TAG_member)
      continue;
    const auto offset = static_cast<std::uint32_t>(
        unsignedAttribute(child, dwarf::DW_AT_data_member_location));
    const TypePtr member = typeOfAttribute(child);
    if (!member)
      continue;
    if (!isBase)
      type->members.push_back({nameOf(child), offset, member});
    for (Type::Member inherited :
         isBase ? member->members : std::vector<Type::Member>()) {
      inherited.offset += offset;
      type->members.push_back(std::move(inherited));
    }
  }
  return type;
}

TypePtr DebugInfo::Impl::arrayType(const DWARFDie &die) {
  const TypePtr element = typeOfAttribute(die);
  if (!element)
    return nullptr;
  std::vector<std::uint64_t> shape;
  for (const DWARFDie &child : die)
    if (child.getTag() == dwarf::DW_TAG_subrange_type)
      shape.push_back(unsignedAttribute(child, dwarf::DW_AT_count));
  return arrayOf(element, shape);
}

std::optional<std::uint64_t>
DebugInfo::Impl::frameBase(const DWARFDie &function, const Registers &registers,
                           const Memory &memory) {
  const auto base = function.find(dwarf::DW_AT_frame_base);
  const auto block = base ? base->getAsBlock() : std::nullopt;
  if (!block)
    return std::nullopt;
  Evaluator evaluator(*function.getDwarfUnit(), registers, memory,
                      std::nullopt);
  const auto location = evaluator.run(*block);
  if (!location)
    return std::nullopt;
  if (location->kind == Location::Kind::Register)
    return registers.byNumber(static_cast<unsigned>(location->value));
  return location->value;
}

Variable DebugInfo::Impl::variable(const DWARFDie &die,
                                   const DWARFDie &function,
                                   const Registers &registers,
                                   const Memory &memory) {
  Variable variable;
  variable.name = nameOf(die);
  variable.isParameter = die.getTag() == dwarf::DW_TAG_formal_parameter;
  DWARFDie typed = die;
  if (!die.find(dwarf::DW_AT_type))
    typed = die.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin);
  variable.type = typed ? typeOfAttribute(typed) : nullptr;
  if (!variable.type)
    return variable;
  if (const auto constant = die.find(dwarf::DW_AT_const_value)) {
    const auto bits = constant->getAsUnsignedConstant();
    const auto number = constant->getAsSignedConstant();
    const std::uint64_t value = bits     ? *bits
                                : number ? static_cast<std::uint64_t>(*number)
                                         : 0;
    variable.value =
        valueAt({Location::Kind::Constant, value}, variable.type, registers);
    return variable;
  }
  auto locations = die.getLocations(dwarf::DW_AT_location);
  if (!locations) {
    consumeError(locations.takeError());
    return variable;
  }
  Evaluator evaluator(*die.getDwarfUnit(), registers, memory,
                      frameBase(function, registers, memory));
  for (const DWARFLocationExpression &entry : *locations) {
    if (entry.Range && (registers.pc < entry.Range->LowPC ||
                        registers.pc >= entry.Range->HighPC))
      continue;
    if (const auto location = evaluator.run(entry.Expr))
      variable.value = valueAt(*location, variable.type, registers);
    break;
  }
  return variable;
}

void DebugInfo::Impl::addVariables(const DWARFDie &scope,
                                   const DWARFDie &function,
                                   const Registers &registers,
                                   const Memory &memory,
                                   std::vector<Variable> &variables) {
  for (const DWARFDie &child : scope)
    if (child.getTag() == dwarf::DW_TAG_variable ||
        child.getTag() == dwarf::DW_TAG_formal_parameter)
      variables.push_back(variable(child, function, registers, memory));
}

DebugInfo::DebugInfo(const runtime::CodeImage &image)
    : impl(std::make_unique<Impl>()) {
  for (const runtime::DebugSection &section : image.debugSections) {
    const StringRef name = StringRef(section.name).ltrim('.');
    impl->sections[name] = MemoryBuffer::getMemBuffer(
        StringRef(reinterpret_cast<const char *>(section.bytes.data()),
                  section.bytes.size()),
        name, false);
  }
  // Damaged debug information is as good as none.
  const auto ignore = [](Error error) { consumeError(std::move(error)); };
  if (!impl->sections.empty())
    impl->context =
        DWARFContext::create(impl->sections, 4, true, ignore, ignore);
  const auto frames = impl->sections.find("debug_frame");
  if (frames == impl->sections.end())
    return;
  impl->frames =
      std::make_unique<DWARFDebugFrame>(Triple::UnknownArch, false, 0);
  consumeError(impl->frames->parse(
      DWARFDataExtractor(frames->second->getBuffer(), true, 4)));
}

DebugInfo::~DebugInfo() = default;

bool DebugInfo::exists() const { return impl->context != nullptr; }

std::vector<FunctionAt> DebugInfo::functionsAt(Address pc) const {
  std::vector<FunctionAt> functions;
  if (!exists())
    return functions;
  const DILineInfoSpecifier specifier(
      DILineInfoSpecifier::FileLineInfoKind::RawValue,
      DILineInfoSpecifier::FunctionNameKind::ShortName);
  const DIInliningInfo info =
      impl->context->getInliningInfoForAddress({pc}, specifier);
  for (unsigned i = 0; i != info.getNumberOfFrames(); ++i) {
    const DILineInfo &frame = info.getFrame(i);
    if (frame.FunctionName == DILineInfo::BadString)
      return {};
    functions.push_back({frame.FunctionName, frame.FileName, frame.Line});
  }
  return functions;
}

/// The block or inlined function in a function that an address is in.
static DWARFDie innermostScope(const DWARFDie &function, Address pc) {
  DWARFDie scope = function;
  for (DWARFDie next = function; next;) {
    scope = next;
    next = DWARFDie();
    for (const DWARFDie &child : scope)
      if ((child.getTag() == dwarf::DW_TAG_lexical_block ||
           child.getTag() == dwarf::DW_TAG_inlined_subroutine) &&
          child.addressRangeContainsAddress(pc))
        next = child;
  }
  return scope;
}

std::vector<Variable> DebugInfo::variables(const Registers &registers,
                                           unsigned inlined,
                                           const Memory &memory) const {
  std::vector<Variable> variables;
  if (!exists())
    return variables;
  DWARFDie function =
      impl->context->getDIEsForAddress(registers.pc).FunctionDIE;
  while (function && function.getTag() != dwarf::DW_TAG_subprogram)
    function = function.getParent();
  if (!function)
    return variables;
  DWARFDie scope = innermostScope(function, registers.pc);
  for (unsigned depth = 0; scope; scope = scope.getParent()) {
    if (depth == inlined)
      impl->addVariables(scope, function, registers, memory, variables);
    if (scope.getTag() == dwarf::DW_TAG_subprogram)
      break;
    depth += scope.getTag() == dwarf::DW_TAG_inlined_subroutine;
  }
  return variables;
}

namespace {

std::optional<std::uint32_t> restored(const dwarf::UnwindLocation &rule,
                                      std::uint32_t cfa,
                                      const Registers &registers,
                                      const Memory &memory) {
  const auto address =
      static_cast<Address>(cfa + static_cast<std::uint32_t>(rule.getOffset()));
  switch (rule.getLocation()) {
  case dwarf::UnwindLocation::CFAPlusOffset: {
    if (rule != dwarf::UnwindLocation::createAtCFAPlusOffset(rule.getOffset()))
      return std::nullopt;
    std::uint32_t value = 0;
    memory.read(registers.tile, address, &value, sizeof(value));
    return value;
  }
  case dwarf::UnwindLocation::RegPlusOffset:
    return registers.byNumber(rule.getRegister());
  default:
    return std::nullopt;
  }
}

} // namespace

std::optional<Registers> DebugInfo::caller(const Registers &registers,
                                           const Memory &memory) const {
  constexpr unsigned Link = 10, Stack = 11;
  if (!impl->frames)
    return std::nullopt;
  dwarf::FDE *entry = nullptr;
  for (dwarf::FrameEntry &frame : *impl->frames)
    if (auto *candidate = dyn_cast<dwarf::FDE>(&frame))
      if (registers.pc >= candidate->getInitialLocation() &&
          registers.pc <
              candidate->getInitialLocation() + candidate->getAddressRange())
        entry = candidate;
  if (!entry)
    return std::nullopt;
  auto table = dwarf::UnwindTable::create(entry);
  if (!table) {
    consumeError(table.takeError());
    return std::nullopt;
  }
  const dwarf::UnwindRow *row = nullptr;
  for (const dwarf::UnwindRow &candidate : *table)
    if (!candidate.hasAddress() || candidate.getAddress() <= registers.pc)
      row = &candidate;
  if (!row ||
      row->getCFAValue().getLocation() != dwarf::UnwindLocation::RegPlusOffset)
    return std::nullopt;
  const auto base = registers.byNumber(row->getCFAValue().getRegister());
  if (!base)
    return std::nullopt;
  const std::uint32_t cfa =
      *base + static_cast<std::uint32_t>(row->getCFAValue().getOffset());
  Registers result = registers;
  for (unsigned number = 0; number != 48; ++number) {
    const auto rule = row->getRegisterLocations().getRegisterLocation(number);
    if (!rule)
      continue;
    if (const auto value = restored(*rule, cfa, registers, memory)) {
      if (number < 16)
        result.m[number] = *value;
      else if (number >= 32)
        result.a[number - 32] = *value;
    }
  }
  result.m[Stack] = cfa;
  result.pc = result.m[Link];
  return result;
}

TypePtr DebugInfo::fieldElement(const std::string &vertexClass,
                                const std::string &field) const {
  if (!exists())
    return nullptr;
  for (const auto &unit : impl->context->compile_units())
    for (const DWARFDie &die : unit->getUnitDIE(false)) {
      if (nameOf(die) != vertexClass)
        continue;
      for (const DWARFDie &member : die) {
        if (member.getTag() != dwarf::DW_TAG_member || nameOf(member) != field)
          continue;
        DWARFDie type =
            member.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
        // Fields are templates over the type of their elements, or over fields.
        while (type) {
          if (type.getTag() == dwarf::DW_TAG_base_type)
            return impl->typeOf(type);
          DWARFDie inner;
          if (isAlias(type.getTag()))
            inner = type.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
          else
            for (const DWARFDie &child : type)
              if (!inner &&
                  child.getTag() == dwarf::DW_TAG_template_type_parameter)
                inner =
                    child.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
          type = inner;
        }
      }
    }
  return nullptr;
}

} // namespace populus::debugger
