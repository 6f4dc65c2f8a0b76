// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An .npy file is eight bytes of magic and version, the length of a header, the
// header (a dictionary in Python's notation), and the elements.

#include "lib/PopART/Import/NpyFile.h"

#include "lib/PopART/Support/Error.h"

#include <fstream>
#include <map>
#include <regex>
#include <sstream>

namespace populus::popir {

static DataType typeOfDescription(const std::string &path,
                                  const std::string &text) {
  static const std::map<std::string, DataType> types = {
      {"<f4", DataType::Float},  {"<f2", DataType::Float16},
      {"<f8", DataType::Double}, {"|i1", DataType::Int8},
      {"|u1", DataType::UInt8},  {"<i2", DataType::Int16},
      {"<u2", DataType::UInt16}, {"<i4", DataType::Int32},
      {"<u4", DataType::UInt32}, {"<i8", DataType::Int64},
      {"<u8", DataType::UInt64}, {"|b1", DataType::Bool}};
  const auto found = types.find(text);
  if (found == types.end())
    failUnsupported("{}: elements '{}' are not supported", path, text);
  return found->second;
}

static Shape shapeOf(const std::string &path, const std::string &text) {
  Shape shape;
  std::istringstream numbers(text);
  for (std::string word; std::getline(numbers, word, ',');)
    if (word.find_first_not_of(' ') != std::string::npos)
      shape.push_back(std::strtoll(word.c_str(), nullptr, 10));
  if (!checkedNumElements(shape, sizeof(double)))
    failInput("{}: its shape {} is not possible", path, toString(shape));
  return shape;
}

HostTensor readNpy(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream stream;
  stream << file.rdbuf();
  const std::string bytes = std::move(stream).str();
  constexpr std::size_t Prefix = 8;
  const std::size_t lengthBytes = bytes.size() > 6 && bytes[6] >= 2 ? 4 : 2;
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < Prefix + lengthBytes)
    failInput("{}: cannot be read as an array of NumPy", path);
  std::size_t length = 0;
  for (std::size_t i = 0; i != lengthBytes; ++i)
    length |= std::size_t(static_cast<unsigned char>(bytes[Prefix + i]))
              << 8 * i;
  const std::size_t begin = Prefix + lengthBytes;
  if (length > bytes.size() - begin)
    failInput("{}: ends in its header", path);
  const std::string header = bytes.substr(begin, length);
  std::smatch type, shape;
  if (!std::regex_search(header, type, std::regex("'descr': *'([^']*)'")) ||
      !std::regex_search(header, shape,
                         std::regex("'shape': *\\(([0-9, ]*)\\)")))
    failInput("{}: its header has no type or no shape", path);
  if (header.find("'fortran_order': True") != std::string::npos)
    failUnsupported("{}: its elements lie column by column, which is not "
                    "supported; save it with numpy.ascontiguousarray",
                    path);
  TensorInfo info{typeOfDescription(path, type[1]), shapeOf(path, shape[1])};
  const char *data = bytes.data() + begin + length;
  const std::size_t found = bytes.size() - begin - length;
  const std::size_t wanted = info.numElements() * sizeOf(info.type);
  if (found != wanted)
    failInput("{}: has {} bytes of elements where its shape needs {}", path,
              found, wanted);
  HostTensor result(std::move(info));
  std::memcpy(result.bytes().data(), data, wanted);
  return result;
}

} // namespace populus::popir
