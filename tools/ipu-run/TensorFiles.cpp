// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of tensors: which kind a file is of, and reading and writing it whole.
// The contents decide, because pipes have no name that tells the kind.

#include "FileErrors.h"
#include "HostTensor.h"

#include "runtime/Support/InputStream.h"
#include "runtime/Support/OutputFile.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <string_view>

namespace populus::run {

namespace {

/// Elements of a shape, or nothing if they are too many to be in memory.
std::optional<std::uint64_t> count(const std::vector<std::uint64_t> &shape) {
  std::uint64_t product = 1;
  for (std::uint64_t extent : shape)
    if (__builtin_mul_overflow(product, extent, &product) ||
        product > (std::uint64_t(1) << 48))
      return std::nullopt;
  return product;
}

bool isNpz(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view Magic = "PK"; // of every ZIP archive
  return bytes.size() >= Magic.size() &&
         std::memcmp(bytes.data(), Magic.data(), Magic.size()) == 0;
}

/// The array `wanted`, or the only one.
HostTensor arrayOf(const std::vector<std::uint8_t> &bytes,
                   const std::string &file, const std::string &wanted) {
  std::vector<HostTensor> arrays = parseNpz(bytes, file);
  std::string names;
  for (HostTensor &array : arrays) {
    if (array.name == wanted || arrays.size() == 1)
      return std::move(array);
    names += (names.empty() ? "" : ", ") + array.name;
  }
  fail(file, "has no array '" + wanted + "'; it has: " + names);
}

/// A tensor of ONNX begins with nothing that tells it from other files, so a
/// name has to say so, or be that of a pipe.
bool mayBeOnnx(const std::filesystem::path &path) {
  std::error_code ignored;
  return path.extension() == ".pb" || path == StandardInput ||
         std::filesystem::is_fifo(path, ignored);
}

} // namespace

void fail(const std::string &file, const std::string &what) {
  throw InputError(file + ": " + what);
}

void checkSize(const HostTensor &tensor, const std::string &file) {
  const std::optional<std::uint64_t> elements = count(tensor.shape);
  if (!elements || *elements * tensor.elementBytes() != tensor.data.size())
    fail(file, "has " + std::to_string(tensor.data.size()) +
                   " bytes of data, which does not fit its shape");
}

std::vector<std::uint8_t> readFile(const std::filesystem::path &path) {
  std::ifstream opened;
  if (path != StandardInput) {
    opened.open(path, std::ios::binary);
    if (!opened)
      throw InputError("cannot read " + path.string() + ": " +
                       std::strerror(errno));
  }
  std::istream &file = path == StandardInput ? std::cin : opened;
  return runtime::readAll<std::vector<std::uint8_t>>(file);
}

HostTensor readTensor(const std::filesystem::path &path,
                      const std::string &wanted) {
  return parseTensor(readFile(path), path, wanted);
}

HostTensor parseTensor(const std::vector<std::uint8_t> &bytes,
                       const std::filesystem::path &path,
                       const std::string &wanted) {
  const std::string file =
      path == StandardInput ? "standard input" : path.string();
  if (isNpy(bytes) || path.extension() == ".npy")
    return parseNpy(bytes, file);
  if (isNpz(bytes) || path.extension() == ".npz")
    return arrayOf(bytes, file, wanted);
  if (mayBeOnnx(path))
    return parseOnnxTensor(bytes, file);
  fail(file, "unknown kind of file; use .npy, .npz or .pb (or, for inputs, "
             "an image or raw:FILE)");
}

void writeFile(const std::filesystem::path &path,
               std::span<const std::uint8_t> bytes) {
  const std::string reason = runtime::writeFile(
      path, std::string_view(reinterpret_cast<const char *>(bytes.data()),
                             bytes.size()));
  if (!reason.empty())
    throw InputError("cannot write " + path.string() + ": " + reason);
}

} // namespace populus::run
