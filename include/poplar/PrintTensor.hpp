// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How program::PrintTensor formats numbers. The runtime has one format so far;
// the class is there for programs that name it with its defaults.

#ifndef POPULUS_INCLUDE_POPLAR_PRINTTENSOR_HPP
#define POPULUS_INCLUDE_POPLAR_PRINTTENSOR_HPP

namespace poplar {

class PrintTensorFmt {
public:
  enum class FloatFormat { Auto = 0, Fixed = 1, Scientific = 2, None = 3 };
  PrintTensorFmt() {}
};

} // namespace poplar

#endif
