// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files: a header that is the text of a Python dictionary, and the
// elements.

#include "FileErrors.h"
#include "HostTensor.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string_view>

namespace populus::run {

namespace {

struct NpyType {
  const char *code; // without byte order
  ElementType type;
  bool isDouble;
};
constexpr NpyType NpyTypes[] = {
    {"f4", ElementType::Float, false},
    {"f8", ElementType::Float, true},
    {"f2", ElementType::Half, false},
    {"b1", ElementType::Bool, false},
    {"i1", ElementType::Char, false},
    {"u1", ElementType::UnsignedChar, false},
    {"i2", ElementType::Short, false},
    {"u2", ElementType::UnsignedShort, false},
    {"i4", ElementType::Int, false},
    {"u4", ElementType::UnsignedInt, false},
    {"i8", ElementType::LongLong, false},
    {"u8", ElementType::UnsignedLongLong, false},
};

constexpr char NpyMagic[] = "\x93NUMPY";
constexpr std::size_t NpyMagicBytes = 6;

/// The text after "'key':" in the header.
std::string npyField(const std::string &header, const std::string &key,
                     const std::string &file) {
  const std::size_t found = header.find("'" + key + "'");
  const std::size_t colon =
      found == std::string::npos ? found : header.find(':', found);
  if (colon == std::string::npos)
    fail(file, "the .npy header has no " + key);
  const std::size_t begin = header.find_first_not_of(' ', colon + 1);
  return begin == std::string::npos ? "" : header.substr(begin);
}

std::vector<std::uint64_t> parseNpyShape(const std::string &text,
                                         const std::string &file) {
  const std::size_t close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string::npos)
    fail(file, "the .npy header has a bad shape");
  std::vector<std::uint64_t> shape;
  std::istringstream parts(text.substr(1, close - 1));
  std::string part;
  while (std::getline(parts, part, ',')) {
    if (part.find_first_not_of(' ') == std::string::npos)
      continue;
    try {
      shape.push_back(std::stoull(part));
    } catch (const std::exception &) {
      fail(file, "the .npy header has a bad shape");
    }
  }
  return shape;
}

std::string npyHeader(const HostTensor &tensor) {
  std::string code = "f4";
  for (const NpyType &type : NpyTypes)
    if (!type.isDouble &&
        (type.type == tensor.type ||
         (runtime::info(type.type).isFloatingPoint ==
              runtime::info(tensor.type).isFloatingPoint &&
          runtime::info(type.type).isSigned ==
              runtime::info(tensor.type).isSigned &&
          type.type != ElementType::Bool &&
          runtime::sizeOf(type.type) == runtime::sizeOf(tensor.type))))
      code = type.code;
  if (tensor.type == ElementType::Bool)
    code = "b1";
  std::string header = "{'descr': '";
  header += runtime::sizeOf(tensor.type) == 1 ? '|' : '<';
  header += code + "', 'fortran_order': False, 'shape': (";
  for (std::uint64_t extent : tensor.shape)
    header += std::to_string(extent) + ",";
  header += "), }";
  // The data begin at a multiple of 64 bytes, after a newline.
  while ((NpyMagicBytes + 4 + header.size() + 1) % 64 != 0)
    header += ' ';
  return header + '\n';
}

/// The elements of an array that was stored by columns, as NumPy does with a
/// transposed one ("Fortran order").
std::vector<std::uint8_t> byRows(const HostTensor &tensor) {
  const std::size_t bytes = tensor.elementBytes();
  const std::size_t rank = tensor.shape.size();
  std::vector<std::uint64_t> index(rank, 0);
  std::vector<std::uint8_t> rows(tensor.data.size());
  for (std::size_t to = 0; to != rows.size(); to += bytes) {
    std::uint64_t from = 0;
    for (std::size_t i = rank; i-- != 0;)
      from = from * tensor.shape[i] + index[i];
    std::memcpy(&rows[to], &tensor.data[from * bytes], bytes);
    for (std::size_t i = rank; i-- != 0 && ++index[i] == tensor.shape[i];)
      index[i] = 0;
  }
  return rows;
}

} // namespace

bool isNpy(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= NpyMagicBytes &&
         std::memcmp(bytes.data(), NpyMagic, NpyMagicBytes) == 0;
}

HostTensor parseNpy(const std::vector<std::uint8_t> &bytes,
                    const std::string &file) {
  if (bytes.size() < 12 || !isNpy(bytes))
    fail(file, "not an .npy file");
  const bool shortHeader = bytes[6] == 1;
  const std::size_t begin = shortHeader ? 10 : 12;
  std::size_t length = bytes[8] | std::size_t(bytes[9]) << 8;
  if (!shortHeader)
    length |= std::size_t(bytes[10]) << 16 | std::size_t(bytes[11]) << 24;
  if (length > bytes.size() - begin)
    fail(file, "ends in the .npy header");
  const std::string header(bytes.begin() + begin,
                           bytes.begin() + begin + length);

  HostTensor tensor;
  const std::string descr = npyField(header, "descr", file);
  const NpyType *found = nullptr;
  for (const NpyType &type : NpyTypes)
    if (descr.size() >= 4 && descr[0] == '\'' &&
        (descr[1] == '<' || descr[1] == '|' || descr[1] == '=') &&
        descr.compare(2, 2, type.code) == 0)
      found = &type;
  if (!found)
    fail(file, "the element type " + descr.substr(0, descr.find(',')) +
                   " is not supported");
  tensor.type = found->type;
  tensor.isDouble = found->isDouble;
  tensor.shape = parseNpyShape(npyField(header, "shape", file), file);
  tensor.data.assign(bytes.begin() + begin + length, bytes.end());
  checkSize(tensor, file);
  if (npyField(header, "fortran_order", file).compare(0, 5, "False") != 0)
    tensor.data = byRows(tensor);
  return tensor;
}

std::vector<std::uint8_t> npyBytes(const HostTensor &tensor) {
  const std::string header = npyHeader(tensor);
  const std::string_view magic(NpyMagic, NpyMagicBytes);
  const std::uint8_t fixed[] = {1, 0,
                                static_cast<std::uint8_t>(header.size() & 0xff),
                                static_cast<std::uint8_t>(header.size() >> 8)};
  std::vector<std::uint8_t> bytes(magic.size() + sizeof(fixed) + header.size() +
                                  tensor.data.size());
  auto to = std::ranges::copy(magic, bytes.begin()).out;
  to = std::ranges::copy(fixed, to).out;
  to = std::ranges::copy(header, to).out;
  std::ranges::copy(tensor.data, to);
  return bytes;
}

void writeNpy(const HostTensor &tensor, const std::filesystem::path &path) {
  writeFile(path, npyBytes(tensor));
}

} // namespace populus::run
