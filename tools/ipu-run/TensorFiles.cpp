// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading .npy and .pb, writing .npy (.npz is in Npz.cpp). Files are not
// trusted: every length is checked against what is there.

#include "HostTensor.h"
#include "SmallElements.h"

#include "runtime/Support/OutputFile.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>

namespace populus::run {

namespace {

[[noreturn]] void fail(const std::string &file, const std::string &what) {
  throw InputError(file + ": " + what);
}

/// Elements of a shape, or nothing if they are too many to be in memory.
std::optional<std::uint64_t> count(const std::vector<std::uint64_t> &shape) {
  std::uint64_t product = 1;
  for (std::uint64_t extent : shape)
    if (__builtin_mul_overflow(product, extent, &product) ||
        product > (std::uint64_t(1) << 48))
      return std::nullopt;
  return product;
}

void checkSize(const HostTensor &tensor, const std::string &file) {
  const std::optional<std::uint64_t> elements = count(tensor.shape);
  if (!elements || *elements * tensor.elementBytes() != tensor.data.size())
    fail(file, "has " + std::to_string(tensor.data.size()) +
                   " bytes of data, which does not fit its shape");
}

// ---- .npy -------------------------------------------------------------------

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

// ---- TensorProto ------------------------------------------------------------

/// One field of a protobuf message.
struct WireField {
  std::uint32_t number;
  std::uint32_t type; // 0 varint, 1 64 bits, 2 bytes, 5 32 bits
  std::uint64_t value = 0;
  std::span<const std::uint8_t> bytes;
};

class WireReader {
public:
  WireReader(std::span<const std::uint8_t> bytes, const std::string &file)
      : bytes(bytes), file(file) {}

  bool atEnd() const { return bytes.empty(); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = take(1)[0];
      value |= std::uint64_t(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0)
        return value;
    }
    fail(file, "not a tensor in ONNX's format");
  }

  WireField field() {
    const std::uint64_t key = varint();
    WireField result{static_cast<std::uint32_t>(key >> 3),
                     static_cast<std::uint32_t>(key & 7),
                     0,
                     {}};
    switch (result.type) {
    case 0:
      result.value = varint();
      break;
    case 1:
      result.bytes = take(8);
      break;
    case 2:
      result.bytes = take(varint());
      break;
    case 5:
      result.bytes = take(4);
      break;
    default:
      fail(file, "not a tensor in ONNX's format");
    }
    return result;
  }

private:
  std::span<const std::uint8_t> take(std::uint64_t count) {
    if (count > bytes.size())
      fail(file, "ends in the middle of a tensor");
    const auto taken = bytes.first(count);
    bytes = bytes.subspan(count);
    return taken;
  }

  std::span<const std::uint8_t> bytes;
  const std::string &file;
};

/// bfloat16, which no device has.
constexpr std::uint64_t BrainFloat = 16;

/// Numbers of TensorProto.DataType.
struct OnnxType {
  std::uint64_t number;
  ElementType type;
  bool isDouble;
};
constexpr OnnxType OnnxTypes[] = {
    {1, ElementType::Float, false},
    {2, ElementType::UnsignedChar, false},
    {3, ElementType::Char, false},
    {4, ElementType::UnsignedShort, false},
    {5, ElementType::Short, false},
    {6, ElementType::Int, false},
    {7, ElementType::LongLong, false},
    {9, ElementType::Bool, false},
    {10, ElementType::Half, false},
    {11, ElementType::Float, true},
    {12, ElementType::UnsignedInt, false},
    {13, ElementType::UnsignedLongLong, false},
    {BrainFloat, ElementType::UnsignedShort, false},
};

/// Field numbers of TensorProto.
enum TensorField : std::uint32_t {
  Dims = 1,
  DataType = 2,
  FloatData = 4,
  Int32Data = 5,
  Int64Data = 7,
  Name = 8,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11,
  DataLocation = 14,
};

class TensorProtoReader {
public:
  TensorProtoReader(std::span<const std::uint8_t> bytes,
                    const std::string &file)
      : wire(bytes, file), file(file) {}

  HostTensor read() {
    while (!wire.atEnd())
      readField(wire.field());
    if (isSmallType(dataType))
      return readSmall();
    const OnnxType *found = nullptr;
    for (const OnnxType &type : OnnxTypes)
      if (type.number == dataType)
        found = &type;
    if (!found)
      fail(file,
           "ONNX data type " + std::to_string(dataType) + " is not supported");
    tensor.type = found->type;
    tensor.isDouble = found->isDouble;
    for (std::uint64_t value : integers)
      append(&value, tensor.elementBytes());
    checkSize(tensor, file);
    return dataType == BrainFloat ? fromBrainFloats(std::move(tensor))
                                  : std::move(tensor);
  }

private:
  /// In int32_data, too, each number is a byte.
  HostTensor readSmall() {
    for (std::uint64_t value : integers)
      tensor.data.push_back(static_cast<std::uint8_t>(value));
    const std::size_t bytes = tensor.data.size();
    if (!unpackSmall(tensor, dataType))
      fail(file, "has " + std::to_string(bytes) +
                     " bytes of data, which does not fit its shape");
    return std::move(tensor);
  }

  void append(const void *data, std::size_t bytes) {
    const auto *first = static_cast<const std::uint8_t *>(data);
    tensor.data.insert(tensor.data.end(), first, first + bytes);
  }

  /// Varints, packed in one field or one in each.
  void appendVarints(const WireField &field, std::vector<std::uint64_t> &to) {
    if (field.type == 0) {
      to.push_back(field.value);
      return;
    }
    WireReader packed(field.bytes, file);
    while (!packed.atEnd())
      to.push_back(packed.varint());
  }

  void readField(const WireField &field) {
    switch (field.number) {
    case Dims:
      appendVarints(field, tensor.shape);
      break;
    case DataType:
      dataType = field.value;
      break;
    case Int32Data:
    case Int64Data:
    case Uint64Data:
      appendVarints(field, integers);
      break;
    case FloatData:
    case DoubleData:
    case RawData: // little-endian elements, as they are kept here
      append(field.bytes.data(), field.bytes.size());
      break;
    case Name:
      tensor.name.assign(field.bytes.begin(), field.bytes.end());
      break;
    case DataLocation:
      if (field.value != 0)
        fail(file, "its data are in another file, which is not supported");
      break;
    default:
      break;
    }
  }

  WireReader wire;
  const std::string &file;
  HostTensor tensor;
  std::uint64_t dataType = 0;
  std::vector<std::uint64_t> integers;
};

} // namespace

HostTensor fromBrainFloats(HostTensor tensor) {
  std::vector<std::uint8_t> floats(2 * tensor.data.size());
  for (std::size_t i = 0; i != tensor.data.size(); ++i)
    floats[i / 2 * 4 + 2 + i % 2] = tensor.data[i]; // little-endian
  tensor.data = std::move(floats);
  tensor.type = ElementType::Float;
  return tensor;
}

std::vector<std::uint8_t> readFile(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw InputError("cannot read " + path.string() + ": " +
                     std::strerror(errno));
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The elements of an array that was stored by columns, as NumPy does with a
/// transposed one ("Fortran order").
static std::vector<std::uint8_t> byRows(const HostTensor &tensor) {
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

HostTensor parseNpy(const std::vector<std::uint8_t> &bytes,
                    const std::string &file) {
  if (bytes.size() < 12 ||
      std::memcmp(bytes.data(), NpyMagic, NpyMagicBytes) != 0)
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

HostTensor readTensor(const std::filesystem::path &path,
                      const std::string &wanted) {
  const std::string file = path.string();
  if (path.extension() == ".npy")
    return parseNpy(readFile(path), file);
  if (path.extension() == ".pb")
    return TensorProtoReader(readFile(path), file).read();
  if (path.extension() != ".npz")
    fail(file, "unknown kind of file; use .npy, .npz or .pb (or, for inputs, "
               "raw:FILE)");
  std::vector<HostTensor> arrays = readNpz(path);
  std::string names;
  for (HostTensor &array : arrays) {
    if (array.name == wanted || arrays.size() == 1)
      return std::move(array);
    names += (names.empty() ? "" : ", ") + array.name;
  }
  fail(file, "has no array '" + wanted + "'; it has: " + names);
}

std::vector<std::uint8_t> npyBytes(const HostTensor &tensor) {
  const std::string header = npyHeader(tensor);
  const std::uint8_t fixed[] = {1, 0,
                                static_cast<std::uint8_t>(header.size() & 0xff),
                                static_cast<std::uint8_t>(header.size() >> 8)};
  std::vector<std::uint8_t> bytes(NpyMagic, NpyMagic + NpyMagicBytes);
  bytes.insert(bytes.end(), std::begin(fixed), std::end(fixed));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), tensor.data.begin(), tensor.data.end());
  return bytes;
}

void writeFile(const std::filesystem::path &path,
               std::span<const std::uint8_t> bytes) {
  const std::string reason = runtime::writeFile(
      path, std::string_view(reinterpret_cast<const char *>(bytes.data()),
                             bytes.size()));
  if (!reason.empty())
    throw InputError("cannot write " + path.string() + ": " + reason);
}

void writeNpy(const HostTensor &tensor, const std::filesystem::path &path) {
  writeFile(path, npyBytes(tensor));
}

} // namespace populus::run
