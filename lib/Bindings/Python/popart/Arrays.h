// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy arrays and the types of tensors, both ways.

#ifndef POPULUS_LIB_BINDINGS_PYTHON_POPART_ARRAYS_H
#define POPULUS_LIB_BINDINGS_PYTHON_POPART_ARRAYS_H

#include <popart/tensorinfo.hpp>

#include <pybind11/numpy.h>

namespace populus::python {

/// An array, or a scalar of NumPy.
bool isArray(pybind11::handle object);

/// The elements one after the other, in the machine's byte order: the array
/// itself where they are.
pybind11::array contiguous(pybind11::handle object);

/// Throws popart::error for types that tensors do not have.
popart::DataType typeOf(const pybind11::dtype &type);
popart::TensorInfo infoOf(const pybind11::array &array);
pybind11::dtype dtypeOf(popart::DataType type);

} // namespace populus::python

#endif
