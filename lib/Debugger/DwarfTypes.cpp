// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function for each kind of type. Members of bases are those of the class.

#include "lib/Debugger/DwarfTypes.h"

namespace populus::debugger {

using namespace llvm;

std::string nameOf(const DWARFDie &die) {
  const char *name = die.getShortName();
  return name ? name : "";
}

static std::uint64_t unsignedAttribute(const DWARFDie &die,
                                       dwarf::Attribute name) {
  return dwarf::toUnsigned(die.find(name), 0);
}

bool isAlias(dwarf::Tag tag) {
  return tag == dwarf::DW_TAG_typedef || tag == dwarf::DW_TAG_const_type ||
         tag == dwarf::DW_TAG_volatile_type ||
         tag == dwarf::DW_TAG_restrict_type;
}

TypePtr DwarfTypes::typeOf(DWARFDie die) {
  while (die && isAlias(die.getTag()))
    die = die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type);
  if (!die)
    return nullptr;
  auto known = types.find(die.getOffset());
  if (known == types.end())
    known = types.emplace(die.getOffset(), makeType(die)).first;
  return known->second;
}

TypePtr DwarfTypes::makeType(const DWARFDie &die) {
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

TypePtr DwarfTypes::baseType(const DWARFDie &die) {
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

TypePtr DwarfTypes::structType(const DWARFDie &die) {
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

TypePtr DwarfTypes::arrayType(const DWARFDie &die) {
  const TypePtr element = typeOfAttribute(die);
  if (!element)
    return nullptr;
  std::vector<std::uint64_t> shape;
  for (const DWARFDie &child : die)
    if (child.getTag() == dwarf::DW_TAG_subrange_type)
      shape.push_back(unsignedAttribute(child, dwarf::DW_AT_count));
  return arrayOf(element, shape);
}

} // namespace populus::debugger
