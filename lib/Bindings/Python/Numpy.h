// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of NumPy's arrays and types, as NumPy itself says them.
//
// A dtype of NumPy 2 has other fields behind its kind than one of NumPy 1, and
// pybind11 before 2.12 reads them where they were: dtype::itemsize, has_fields,
// flags and alignment, array::itemsize and nbytes, and py::array's constructors
// without strides (those of py::array_t know the size) are wrong there. These
// functions ask by name, so that one binary works with both.

#ifndef POPULUS_LIB_BINDINGS_PYTHON_NUMPY_H
#define POPULUS_LIB_BINDINGS_PYTHON_NUMPY_H

#include <pybind11/numpy.h>

namespace populus::python {

/// Returns the size of an element in bytes.
inline std::size_t itemSizeOf(const pybind11::dtype &type) {
  return type.attr("itemsize").cast<std::size_t>();
}

/// Returns the size of all elements in bytes.
inline std::size_t bytesOf(const pybind11::array &array) {
  return array.attr("nbytes").cast<std::size_t>();
}

/// Tests for elements that are records.
inline bool hasFields(const pybind11::dtype &type) {
  return !type.attr("names").is_none();
}

} // namespace populus::python

#endif
