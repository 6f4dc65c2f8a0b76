// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads DWARF with LLVM's library: functions and variables at an address.

#include "lib/Debugger/DebugInfo.h"

#include "lib/Debugger/DwarfFrames.h"
#include "lib/Debugger/DwarfLocations.h"
#include "lib/Debugger/DwarfTypes.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/DebugInfo/DIContext.h>
#include <llvm/DebugInfo/DWARF/DWARFCompileUnit.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Support/MemoryBuffer.h>

namespace populus::debugger {

using namespace llvm;

struct DebugInfo::Impl {
  StringMap<std::unique_ptr<MemoryBuffer>> sections;
  std::unique_ptr<DWARFContext> context;
  std::optional<DwarfFrames> frames;
  DwarfTypes types;

  std::optional<std::uint64_t> frameBase(const DWARFDie &function,
                                         const Registers &registers,
                                         const Memory &memory);
  void addVariables(const DWARFDie &scope, const DWARFDie &function,
                    const Registers &registers, const Memory &memory,
                    std::vector<Variable> &variables);
  Variable variable(const DWARFDie &die, const DWARFDie &function,
                    const Registers &registers, const Memory &memory);
};

std::optional<std::uint64_t>
DebugInfo::Impl::frameBase(const DWARFDie &function, const Registers &registers,
                           const Memory &memory) {
  const auto base = function.find(dwarf::DW_AT_frame_base);
  const auto block = base ? base->getAsBlock() : std::nullopt;
  if (!block)
    return std::nullopt;
  const auto location = evaluate(*block, *function.getDwarfUnit(), registers,
                                 memory, std::nullopt);
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
  variable.type = typed ? types.typeOfAttribute(typed) : nullptr;
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
  const auto base = frameBase(function, registers, memory);
  for (const DWARFLocationExpression &entry : *locations) {
    if (entry.Range && (registers.pc < entry.Range->LowPC ||
                        registers.pc >= entry.Range->HighPC))
      continue;
    if (const auto location =
            evaluate(entry.Expr, *die.getDwarfUnit(), registers, memory, base))
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
  if (frames != impl->sections.end())
    impl->frames.emplace(frames->second->getBuffer());
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

std::optional<Registers> DebugInfo::caller(const Registers &registers,
                                           const Memory &memory) const {
  return impl->frames ? impl->frames->caller(registers, memory) : std::nullopt;
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
            return impl->types.typeOf(type);
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
