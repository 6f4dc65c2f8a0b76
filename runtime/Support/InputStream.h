// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a stream to its end in large blocks. std::istreambuf_iterator takes one
// character at a time: with it, reading the vertex libraries took half the time
// of compiling a small graph.

#ifndef POPULUS_RUNTIME_SUPPORT_INPUTSTREAM_H
#define POPULUS_RUNTIME_SUPPORT_INPUTSTREAM_H

#include <algorithm>
#include <cstddef>
#include <istream>

namespace populus::runtime {

/// Returns everything that is left in `stream`, which may be a pipe, as bytes:
/// a std::string or a std::vector of a type of one byte. `stream` is bad
/// afterwards if reading failed.
template <typename Bytes> Bytes readAll(std::istream &stream) {
  constexpr std::size_t FirstBlock = 64 << 10;
  Bytes bytes;
  std::size_t size = 0;
  while (stream) {
    bytes.resize(size + std::max(FirstBlock, size));
    stream.read(reinterpret_cast<char *>(bytes.data()) + size,
                static_cast<std::streamsize>(bytes.size() - size));
    size += static_cast<std::size_t>(stream.gcount());
  }
  bytes.resize(size);
  return bytes;
}

} // namespace populus::runtime

#endif
