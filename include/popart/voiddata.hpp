// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in memory that another object owns, with their type and shape.

#ifndef POPULUS_INCLUDE_POPART_VOIDDATA_HPP
#define POPULUS_INCLUDE_POPART_VOIDDATA_HPP

#include <popart/tensorinfo.hpp>

namespace popart {

class ConstVoidData {
public:
  ConstVoidData() : data(nullptr) {}
  ConstVoidData(const void *data, const TensorInfo &info)
      : data(data), info(info) {}

  const void *data;
  TensorInfo info;
};

class MutableVoidData {
public:
  MutableVoidData() : data(nullptr) {}
  MutableVoidData(void *data, const TensorInfo &info)
      : data(data), info(info) {}

  void *data;
  TensorInfo info;
};

} // namespace popart

#endif
