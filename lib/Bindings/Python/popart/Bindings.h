// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the module popart_core. Each file of this folder binds one
// subject of the C++ interface and has a function here, which Module.cpp calls
// in order: a type has to be known before it is a default argument. Those of
// opsets are written by utils/gen/python-opsets.py.

#ifndef POPULUS_LIB_BINDINGS_PYTHON_POPART_BINDINGS_H
#define POPULUS_LIB_BINDINGS_PYTHON_POPART_BINDINGS_H

#include <pybind11/pybind11.h>

namespace populus::python {

void bindErrors(pybind11::module_ &module);
void bindTypes(pybind11::module_ &module);
void bindBuilder(pybind11::module_ &module);
void bindAiGraphcoreOpset1(pybind11::module_ &module);
void bindAiOnnxOpset6(pybind11::module_ &module);
void bindAiOnnxOpset7(pybind11::module_ &module);
void bindAiOnnxOpset8(pybind11::module_ &module);
void bindAiOnnxOpset9(pybind11::module_ &module);
void bindAiOnnxOpset10(pybind11::module_ &module);
void bindAiOnnxOpset11(pybind11::module_ &module);
void bindDevices(pybind11::module_ &module);
void bindOptions(pybind11::module_ &module);
void bindPatterns(pybind11::module_ &module);
void bindOptimizers(pybind11::module_ &module);
void bindStepIO(pybind11::module_ &module);
void bindSessions(pybind11::module_ &module);
void bindLosses(pybind11::module_ &module);
void bindModels(pybind11::module_ &module);
void bindCustomOps(pybind11::module_ &module);
void bindLogging(pybind11::module_ &module);

} // namespace populus::python

#endif
