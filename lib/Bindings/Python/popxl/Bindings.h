// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the module popxl_core, and what they share: tensors of the host
// as NumPy arrays. Types are named as the IR names them ("float", "int64").

#ifndef POPULUS_LIB_BINDINGS_PYTHON_POPXL_BINDINGS_H
#define POPULUS_LIB_BINDINGS_PYTHON_POPXL_BINDINGS_H

#include "lib/PopART/IR/HostTensor.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace populus::python {

void bindFloat8(pybind11::module_ &module);
void bindGraphs(pybind11::module_ &module);
void bindPrograms(pybind11::module_ &module);
void bindSteppedPrograms(pybind11::module_ &module);

/// An Error where there is no such type.
popir::DataType typeOf(const std::string &name);

/// The elements of an array, in order, as a tensor of the type, of which the
/// array must have the element size.
popir::HostTensor tensorOf(const std::string &type,
                           const pybind11::array &array);

} // namespace populus::python

#endif
