// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor on the host, and its file formats: NumPy's .npy and .npz, and ONNX's
// TensorProto (.pb).

#ifndef POPULUS_TOOLS_IPU_RUN_HOSTTENSOR_H
#define POPULUS_TOOLS_IPU_RUN_HOSTTENSOR_H

#include "runtime/Target/ElementType.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace populus::run {

using runtime::ElementType;

/// A file or value that cannot be used; the message is complete.
class InputError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct HostTensor {
  ElementType type = ElementType::Float;
  /// The data are doubles, whatever `type` says.
  bool isDouble = false;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint8_t> data;
  /// The name in the file, if it has one.
  std::string name;

  std::uint64_t numElements() const;
  std::size_t elementBytes() const {
    return isDouble ? sizeof(double) : runtime::sizeOf(type);
  }
};

/// "float 1x28x28".
std::string describe(ElementType type, const std::vector<std::uint64_t> &shape);

/// The path that stands for standard input.
inline constexpr const char *StandardInput = "-";

/// Reads .npy or .pb, or an array of an .npz file: the one of the name
/// `wanted`, or the only one. The contents tell the kind, or else the name's
/// ending; a pipe, or "-" for standard input, needs no ending. Throws
/// InputError.
HostTensor readTensor(const std::filesystem::path &path,
                      const std::string &wanted = {});

/// The same from the bytes of the file.
HostTensor parseTensor(const std::vector<std::uint8_t> &bytes,
                       const std::filesystem::path &path,
                       const std::string &wanted);

/// Converts 16-bit integers, which are the upper halves of floats, to these
/// floats.
HostTensor fromBrainFloats(HostTensor tensor);

/// The whole file. Throws InputError.
std::vector<std::uint8_t> readFile(const std::filesystem::path &path);

/// True for the beginning of an .npy file.
bool isNpy(std::span<const std::uint8_t> bytes);

/// The bytes of an .npy file; `file` stands for it in messages.
HostTensor parseNpy(const std::vector<std::uint8_t> &bytes,
                    const std::string &file);

/// The arrays of an .npz file, with their names. Throws InputError.
std::vector<HostTensor> readNpz(const std::filesystem::path &path);
std::vector<HostTensor> parseNpz(const std::vector<std::uint8_t> &bytes,
                                 const std::string &file);

/// A tensor of ONNX. Throws InputError.
HostTensor parseOnnxTensor(std::span<const std::uint8_t> bytes,
                           const std::string &file);

/// Writes the file whole or not at all. Throws InputError.
void writeFile(const std::filesystem::path &path,
               std::span<const std::uint8_t> bytes);

/// The bytes of a .npy file.
std::vector<std::uint8_t> npyBytes(const HostTensor &tensor);

/// Writes tensors by their names. Throws InputError.
void writeNpz(const std::vector<HostTensor> &tensors,
              const std::filesystem::path &path);

/// Throws InputError.
void writeNpy(const HostTensor &tensor, const std::filesystem::path &path);

/// An element as a number; 64-bit integers beyond 2^53 lose their last bits.
double elementAsDouble(const HostTensor &tensor, std::uint64_t index);

/// The same values with another element type. Throws InputError, naming `what`,
/// where an integer does not fit.
HostTensor convert(const HostTensor &tensor, ElementType type,
                   const std::string &what);

} // namespace populus::run

#endif
