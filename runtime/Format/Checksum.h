// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XXH3 with 64 bits, of the library xxHash. It finds every damage that is
// likely to happen to a file, at some ten bytes a nanosecond; it does not stop
// anybody who changes a file on purpose, for which there is the verification.

#ifndef POPULUS_RUNTIME_FORMAT_CHECKSUM_H
#define POPULUS_RUNTIME_FORMAT_CHECKSUM_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace populus::runtime {

class Checksum {
public:
  Checksum();
  ~Checksum();
  Checksum(const Checksum &) = delete;
  Checksum &operator=(const Checksum &) = delete;

  void add(const void *data, std::size_t bytes);
  std::uint64_t value() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

inline std::uint64_t checksumOf(const void *data, std::size_t bytes) {
  Checksum sum;
  sum.add(data, bytes);
  return sum.value();
}

} // namespace populus::runtime

#endif
