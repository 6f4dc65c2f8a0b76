// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array for hundreds of millions of small elements that are appended one
// after another. A std::vector holds all elements twice whenever it grows; this
// array lets the system move its pages.

#ifndef POPULUS_LIB_POPLAR_SUPPORT_GROWINGARRAY_H
#define POPULUS_LIB_POPLAR_SUPPORT_GROWINGARRAY_H

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace poplar::core {

template <class T> class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  std::size_t size() const { return count; }
  const T &operator[](std::size_t i) const { return elements.get()[i]; }
  const T *data() const { return elements.get(); }
  const T *begin() const { return data(); }
  const T *end() const { return data() + count; }

  void append(std::span<const T> more) {
    if (count + more.size() > room)
      grow(count + more.size());
    std::copy(more.begin(), more.end(), elements.get() + count);
    count += more.size();
  }

private:
  struct Free {
    void operator()(T *memory) const { std::free(memory); }
  };

  void grow(std::size_t least) {
    const std::size_t more = std::max(least, room + room / 2);
    void *memory = std::realloc(elements.get(), more * sizeof(T));
    if (!memory)
      throw std::bad_alloc();
    elements.release(); // realloc() has freed it, or it is the same
    elements.reset(static_cast<T *>(memory));
    room = more;
  }

  std::unique_ptr<T, Free> elements;
  std::size_t count = 0, room = 0;
};

} // namespace poplar::core

#endif
