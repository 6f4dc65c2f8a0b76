// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printing of tensors by dimension, outermost first.

#include "runtime/Session/PrintTensor.h"

#include "runtime/Target/Half.h"

#include <cstddef>
#include <cstring>
#include <ostream>
#include <string>

namespace populus::runtime {

namespace {

template <typename T> T load(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

class Printer {
public:
  Printer(std::ostream &out, ElementType type, const void *data)
      : out(out), type(type), next(static_cast<const std::byte *>(data)) {}

  void print(std::span<const std::uint64_t> shape, unsigned depth) {
    if (shape.size() <= 1) {
      printRow(shape.empty() ? 1 : shape.front());
      return;
    }
    out << "{\n";
    for (std::uint64_t i = 0; i != shape.front(); ++i) {
      out << std::string(depth + 1, ' ');
      print(shape.subspan(1), depth + 1);
      out << (i + 1 == shape.front() ? "\n" : ",\n");
    }
    out << std::string(depth, ' ') << '}';
  }

private:
  void printRow(std::uint64_t count) {
    out << '{';
    for (std::uint64_t i = 0; i != count; ++i) {
      if (i != 0)
        out << ',';
      printElement(out, type, next);
      next += sizeOf(type);
    }
    out << '}';
  }

  std::ostream &out;
  ElementType type;
  const std::byte *next;
};

} // namespace

void printElement(std::ostream &out, ElementType type, const void *element) {
  switch (type) {
  case ElementType::Bool:
  case ElementType::UnsignedChar:
    out << unsigned(load<std::uint8_t>(element));
    break;
  case ElementType::Char:
  case ElementType::SignedChar:
    out << int(load<std::int8_t>(element));
    break;
  case ElementType::Short:
    out << load<std::int16_t>(element);
    break;
  case ElementType::UnsignedShort:
    out << load<std::uint16_t>(element);
    break;
  case ElementType::Int:
  case ElementType::Long:
    out << load<std::int32_t>(element);
    break;
  case ElementType::UnsignedInt:
  case ElementType::UnsignedLong:
    out << load<std::uint32_t>(element);
    break;
  case ElementType::LongLong:
    out << load<std::int64_t>(element);
    break;
  case ElementType::UnsignedLongLong:
    out << load<std::uint64_t>(element);
    break;
  case ElementType::Half:
    out << halfToFloat(load<std::uint16_t>(element));
    break;
  case ElementType::Float:
    out << load<float>(element);
    break;
  }
}

void printTensor(std::ostream &out, std::string_view title, ElementType type,
                 std::span<const std::uint64_t> shape, const void *data) {
  out << title << ": ";
  Printer(out, type, data).print(shape, 0);
  out << '\n';
}

} // namespace populus::runtime
