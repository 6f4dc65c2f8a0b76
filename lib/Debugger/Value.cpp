// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, conversions, and the text of values.

#include "lib/Debugger/Value.h"

#include "runtime/Target/Half.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace populus::debugger {

namespace {

using Kind = Type::Kind;

template <typename T> T as(const Value &value) {
  T result = {};
  std::memcpy(&result, value.bytes.data(),
              std::min(sizeof(T), value.bytes.size()));
  return result;
}

template <typename T> std::vector<std::byte> bytesOf(T value) {
  std::vector<std::byte> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

void requireScalar(const Value &value) {
  if (!value.type->isScalar())
    throw DebugError("a value of type '" + value.type->name +
                     "' is no number; choose an element or a member");
}

std::string realText(double value, unsigned bytes) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char text[32];
  std::snprintf(text, sizeof(text), "%.*g", bytes == 8 ? 15 : 7, value);
  return text;
}

std::string scalarText(const Value &value, char format) {
  char text[32];
  const unsigned bytes = static_cast<unsigned>(value.bytes.size());
  switch (format) {
  case 'x':
    std::snprintf(text, sizeof(text), "0x%0*llx", static_cast<int>(2 * bytes),
                  as<unsigned long long>(value));
    return text;
  case 'u':
    return std::to_string(as<unsigned long long>(value));
  case 'd':
    return std::to_string(
        toInteger({scalarType(Kind::Signed, bytes, ""), {}, value.bytes}));
  case 'f':
    return realText(
        toReal({scalarType(Kind::Float, bytes, ""), {}, value.bytes}), bytes);
  case 'h': {
    std::string halves;
    for (unsigned at = 0; at + 2 <= bytes; at += 2) {
      const Value half = {
          scalarType(Kind::Float, 2, ""),
          {},
          {value.bytes.begin() + at, value.bytes.begin() + at + 2}};
      halves += (at ? ", " : "") + realText(toReal(half), 2);
    }
    return "{" + halves + "}";
  }
  default:
    break;
  }
  switch (value.type->kind) {
  case Kind::Float:
    return realText(toReal(value), bytes);
  case Kind::Boolean:
    return toInteger(value) ? "true" : "false";
  case Kind::Pointer:
    std::snprintf(text, sizeof(text), "0x%llx", as<unsigned long long>(value));
    return text;
  default:
    return std::to_string(toInteger(value));
  }
}

/// Elements of an array that a text has at most.
constexpr std::uint64_t MostElements = 200;

std::string arrayText(const Value &value, const Memory &memory, char format) {
  std::string text = "{";
  const Type &type = *value.type;
  for (std::uint64_t i = 0; i != type.count; ++i) {
    if (i == MostElements)
      return text + ", ... " + std::to_string(type.count - i) + " more}";
    text += (i ? ", " : "") +
            textOf(slice(value, i * type.element->bytes, type.element), memory,
                   format);
  }
  return text + "}";
}

} // namespace

TypePtr scalarType(Kind kind, unsigned bytes, std::string name) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  type->bytes = bytes;
  type->name = std::move(name);
  return type;
}

TypePtr typeOf(runtime::ElementType type) {
  const runtime::ElementTypeInfo &info = runtime::info(type);
  const Kind kind = info.isFloatingPoint                 ? Kind::Float
                    : type == runtime::ElementType::Bool ? Kind::Boolean
                    : info.isSigned                      ? Kind::Signed
                                                         : Kind::Unsigned;
  return scalarType(kind, info.bytes, std::string(info.name));
}

TypePtr arrayOf(TypePtr element, const std::vector<std::uint64_t> &shape) {
  const std::string scalar = element->name;
  std::string counts;
  for (auto count = shape.rbegin(); count != shape.rend(); ++count) {
    auto array = std::make_shared<Type>();
    array->kind = Kind::Array;
    counts.insert(0, "[" + std::to_string(*count) + "]");
    array->name = scalar + counts;
    array->count = *count;
    array->bytes = *count * element->bytes;
    array->element = std::move(element);
    element = std::move(array);
  }
  return element;
}

TypePtr typeNamed(const std::string &name) {
  if (name == "unsigned")
    return typeOf(runtime::ElementType::UnsignedInt);
  const auto type = runtime::findElementType(name);
  return type ? typeOf(*type) : nullptr;
}

Value integer(std::int64_t value) {
  static const TypePtr Long = scalarType(Kind::Signed, 8, "long long");
  return {Long, {}, bytesOf(value)};
}
Value real(double value) {
  static const TypePtr Double = scalarType(Kind::Float, 8, "double");
  return {Double, {}, bytesOf(value)};
}
Value word(std::uint32_t value) {
  static const TypePtr Unsigned = scalarType(Kind::Unsigned, 4, "unsigned");
  return {Unsigned, {}, bytesOf(value)};
}

double toReal(const Value &value) {
  requireScalar(value);
  if (value.type->kind != Kind::Float)
    return static_cast<double>(toInteger(value));
  switch (value.bytes.size()) {
  case 2:
    return runtime::halfToFloat(as<std::uint16_t>(value));
  case 4:
    return as<float>(value);
  default:
    return as<double>(value);
  }
}

std::int64_t toInteger(const Value &value) {
  requireScalar(value);
  if (value.type->kind == Kind::Float)
    return static_cast<std::int64_t>(toReal(value));
  const auto bits = as<std::uint64_t>(value);
  const unsigned unused = 64 - 8 * static_cast<unsigned>(value.bytes.size());
  if (value.type->kind == Kind::Signed && unused < 64)
    return static_cast<std::int64_t>(bits << unused) >> unused;
  return static_cast<std::int64_t>(bits);
}

Value slice(const Value &value, std::uint64_t offset, TypePtr type) {
  Value part;
  std::uint64_t left = type->bytes;
  part.type = std::move(type);
  if (!value.isInMemory()) {
    if (offset + left > value.bytes.size())
      throw DebugError("there are no bytes for this part of the value");
    const auto begin =
        value.bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    part.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(left));
    return part;
  }
  for (const Segment &segment : value.segments) {
    if (offset >= segment.bytes) {
      offset -= segment.bytes;
      continue;
    }
    const auto bytes = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(segment.bytes - offset, left));
    if (bytes != 0)
      part.segments.push_back(
          {segment.tile, segment.address + static_cast<std::uint32_t>(offset),
           bytes});
    left -= bytes;
    offset = 0;
    if (left == 0)
      break;
  }
  if (left != 0)
    throw DebugError("there is no memory for this part of the value");
  return part;
}

Value loaded(const Value &value, const Memory &memory) {
  if (!value.isInMemory())
    return value;
  Value result;
  result.type = value.type;
  for (const Segment &segment : value.segments) {
    const std::size_t at = result.bytes.size();
    result.bytes.resize(at + segment.bytes);
    memory.read(segment.tile, segment.address, result.bytes.data() + at,
                segment.bytes);
  }
  return result;
}

std::string textOf(const Value &value, const Memory &memory, char format) {
  switch (value.type->kind) {
  case Kind::Array:
    return arrayText(value, memory, format);
  case Kind::Struct: {
    std::string text;
    for (const Type::Member &member : value.type->members)
      text += (text.empty() ? "" : ", ") + member.name + " = " +
              textOf(slice(value, member.offset, member.type), memory, format);
    return "{" + text + "}";
  }
  default:
    return scalarText(loaded(value, memory), format);
  }
}

} // namespace populus::debugger
