// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printing of tensors by dimension, outermost first.

#include "runtime/Session/PrintTensor.h"

#include "runtime/Target/Half.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <ostream>
#include <sstream>
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
  case ElementType::Quarter: // its bits
  case ElementType::QuarterMetadata:
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

namespace {

/// Prints in a PrintFormat: all numbers are made text first, so that they can
/// be given the same width.
class FormattedPrinter {
public:
  FormattedPrinter(std::ostream &out, ElementType type,
                   std::span<const std::uint64_t> shape, const void *data,
                   const PrintFormat &format, std::size_t indent)
      : out(out), type(type), shape(shape),
        data(static_cast<const std::byte *>(data)), format(format),
        indent(indent) {
    std::uint64_t count = 1;
    for (std::uint64_t extent : shape)
      count *= extent;
    isShort = count > static_cast<std::uint64_t>(
                          std::max(format.summariseThreshold, 0));
    chooseNotation(count);
    for (std::uint64_t i = 0; i != count; ++i)
      width = std::max(width, text(i).size());
  }

  void print() {
    if (shape.empty())
      out << text(0);
    else
      printFrom(0, 0);
  }

private:
  void chooseNotation(std::uint64_t count) {
    notation = format.floatFormat;
    if (notation != 0)
      return;
    notation = 1;
    for (std::uint64_t i = 0; i != count; ++i) {
      const double size = std::fabs(number(i));
      if (std::isfinite(size) && size != 0 && (size >= 1e8 || size < 1e-4))
        notation = 2;
    }
  }

  bool isFloat() const { return info(type).isFloatingPoint; }

  double number(std::uint64_t i) const {
    const std::byte *place = data + i * sizeOf(type);
    if (type == ElementType::Float)
      return load<float>(place);
    return type == ElementType::Half ? halfToFloat(load<std::uint16_t>(place))
                                     : 0;
  }

  std::string text(std::uint64_t i) const {
    std::ostringstream stream;
    if (isFloat() && notation != 3) {
      stream.precision(format.digits);
      stream << (notation == 1 ? std::fixed : std::scientific) << number(i);
    } else {
      printElement(stream, type, data + i * sizeOf(type));
    }
    return stream.str();
  }

  void put(std::int32_t character) { out << static_cast<char>(character); }

  /// Calls item(i) for the indices of a dimension, skip() where some are left
  /// out.
  template <typename Item, typename Skip>
  void forEachShown(std::uint64_t extent, Item item, Skip skip) const {
    const auto edge = static_cast<std::uint64_t>(std::max(format.edgeItems, 0));
    const bool skips = isShort && extent > 2 * edge;
    for (std::uint64_t i = 0; i != extent; ++i) {
      if (skips && i == edge) {
        skip();
        i = extent - edge;
        if (i == extent)
          return;
      }
      item(i);
    }
  }

  void printRow(std::uint64_t first, std::size_t depth) {
    std::size_t column = indent + depth + 1;
    bool isFirst = true;
    const auto add = [&](const std::string &item) {
      if (!isFirst) {
        const bool breaks =
            column + 1 + item.size() >
            static_cast<std::size_t>(std::max(format.maxLineWidth, 0));
        if (!breaks || format.separator != ' ')
          put(format.separator);
        ++column;
        if (breaks) {
          column = indent + depth + 1;
          out << '\n' << std::string(column, ' ');
        }
      }
      isFirst = false;
      out << item;
      column += item.size();
    };
    forEachShown(
        shape[depth],
        [&](std::uint64_t i) {
          const std::string item = text(first + i);
          add(std::string(width - item.size(), ' ') + item);
        },
        [&] { add("..."); });
  }

  void printFrom(std::uint64_t first, std::size_t depth) {
    put(format.openBracket);
    if (depth + 1 == shape.size()) {
      printRow(first, depth);
    } else {
      std::uint64_t inner = 1;
      for (std::uint64_t extent : shape.subspan(depth + 1))
        inner *= extent;
      bool isFirst = true;
      const auto newLine = [&] {
        if (!isFirst)
          out << '\n' << std::string(indent + depth + 1, ' ');
        isFirst = false;
      };
      forEachShown(
          shape[depth],
          [&](std::uint64_t i) {
            newLine();
            printFrom(first + i * inner, depth + 1);
          },
          [&] {
            newLine();
            out << "...";
          });
    }
    put(format.closeBracket);
  }

  std::ostream &out;
  ElementType type;
  std::span<const std::uint64_t> shape;
  const std::byte *data;
  const PrintFormat &format;
  std::size_t indent;
  bool isShort = false;
  std::int32_t notation = 3;
  std::size_t width = 0;
};

} // namespace

void printTensor(std::ostream &out, std::string_view title, ElementType type,
                 std::span<const std::uint64_t> shape, const void *data,
                 const PrintFormat &format) {
  out << title << ": ";
  FormattedPrinter(out, type, shape, data, format, title.size() + 2).print();
  out << '\n';
}

} // namespace populus::runtime
