// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An IArray over a plain C++ array.

#ifndef POPULUS_INCLUDE_POPART_NDARRAYWRAPPER_HPP
#define POPULUS_INCLUDE_POPART_NDARRAYWRAPPER_HPP

#include <popart/iarray.hpp>

namespace popart {

/// Wraps elements in place. T is a type that getDataType knows.
template <class T> class NDArrayWrapper : public IArray {
public:
  NDArrayWrapper(T *elements, const TensorInfo &info)
      : elements(elements), info(info) {}
  NDArrayWrapper(T *elements, const Shape &shape)
      : elements(elements), info(getDataType<T>(), shape) {}

  void *data() override { return elements; }
  DataType dataType() const override { return info.dataType(); }
  std::size_t rank() const override {
    return static_cast<std::size_t>(info.rank());
  }
  std::int64_t dim(std::size_t index) const override {
    return info.dim(static_cast<int>(index));
  }
  std::size_t nelms() const override {
    return static_cast<std::size_t>(info.nelms());
  }
  Shape shape() const override { return info.shape(); }

private:
  T *elements;
  TensorInfo info;
};

} // namespace popart

#endif
