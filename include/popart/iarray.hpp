// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interface through which a session reads and writes the program's buffers.

#ifndef POPULUS_INCLUDE_POPART_IARRAY_HPP
#define POPULUS_INCLUDE_POPART_IARRAY_HPP

#include <popart/tensorinfo.hpp>

namespace popart {

class IArray {
public:
  virtual ~IArray() {}
  virtual void *data() = 0;
  virtual DataType dataType() const = 0;
  virtual std::size_t rank() const = 0;
  virtual std::int64_t dim(std::size_t index) const = 0;
  virtual std::size_t nelms() const = 0;
  virtual Shape shape() const = 0;
};

} // namespace popart

#endif
