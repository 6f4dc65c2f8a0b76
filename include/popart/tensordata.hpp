// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of a tensor that is known at compile time.

#ifndef POPULUS_INCLUDE_POPART_TENSORDATA_HPP
#define POPULUS_INCLUDE_POPART_TENSORDATA_HPP

#include <popart/tensorinfo.hpp>

#include <vector>

namespace popart {

class TensorData {
public:
  TensorData() {}
  TensorData(const void *data, std::size_t bytes)
      : bytes(static_cast<const char *>(data),
              static_cast<const char *>(data) + bytes) {}

  void *data() { return bytes.data(); }
  const void *data() const { return bytes.data(); }
  std::size_t size() const { return bytes.size(); }

  /// Returns the `count` elements, converted to T.
  template <class T> std::vector<T> copyDataAs(int count) const {
    const T *begin = reinterpret_cast<const T *>(bytes.data());
    return std::vector<T>(begin, begin + count);
  }

private:
  std::vector<char> bytes;
};

} // namespace popart

#endif
