// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the module popart_core. Each file of this folder binds one
// subject of the C++ interface and has a function here, which Module.cpp calls
// in order: a type has to be known before it is a default argument.

#ifndef POPULUS_LIB_BINDINGS_PYTHON_POPART_BINDINGS_H
#define POPULUS_LIB_BINDINGS_PYTHON_POPART_BINDINGS_H

#include <pybind11/pybind11.h>

namespace populus::python {

void bindDevices(pybind11::module_ &module);

} // namespace populus::python

#endif
