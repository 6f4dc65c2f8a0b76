// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion between host numbers and the bytes of device elements.

#ifndef POPULUS_INCLUDE_POPLAR_TYPECONVERSION_HPP
#define POPULUS_INCLUDE_POPLAR_TYPECONVERSION_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>

#include <cstddef>

namespace poplar {

namespace core {
void convertToDeviceType(const Type &type, const void *source,
                         const TypeTraits &traits, std::size_t count,
                         void *destination, bool nanOnOverflow);
void convertFromDeviceType(const Type &type, const void *source,
                           const TypeTraits &traits, std::size_t count,
                           void *destination);
void convertToDeviceType(const Type &type, QuarterMetadata metadata,
                         const void *source, const TypeTraits &traits,
                         std::size_t count, void *destination,
                         bool nanOnOverflow);
void convertFromDeviceType(const Type &type, QuarterMetadata metadata,
                           const void *source, const TypeTraits &traits,
                           std::size_t count, void *destination);
} // namespace core

/// Writes the elements of `source` to `destination` as elements of `type`. A
/// number too large for a half becomes NaN or infinity.
template <typename T>
void convertToDeviceType(const Type &type, ArrayRef<T> source,
                         void *destination, bool nanOnOverflow = false) {
  core::convertToDeviceType(type, source.data(), TypeTraits::make<T>(),
                            source.size(), destination, nanOnOverflow);
}

/// Converts device elements to host numbers. `destination` refers to writable
/// memory.
template <typename T>
void convertFromDeviceType(const Type &type, const void *source,
                           ArrayRef<T> destination) {
  core::convertFromDeviceType(type, source, TypeTraits::make<T>(),
                              destination.size(),
                              const_cast<T *>(destination.data()));
}

/// The same with metadata for quarters; other types ignore it. A number too
/// large for a quarter becomes the largest quarter, or NaN.
template <typename T>
void convertToDeviceType(const Type &type, const QuarterMetadata &metadata,
                         ArrayRef<T> source, void *destination,
                         bool nanOnOverflow = false) {
  core::convertToDeviceType(type, metadata, source.data(),
                            TypeTraits::make<T>(), source.size(), destination,
                            nanOnOverflow);
}
template <typename T>
void convertFromDeviceType(const Type &type, const QuarterMetadata &metadata,
                           const void *source, ArrayRef<T> destination) {
  core::convertFromDeviceType(type, metadata, source, TypeTraits::make<T>(),
                              destination.size(),
                              const_cast<T *>(destination.data()));
}

} // namespace poplar

#endif
