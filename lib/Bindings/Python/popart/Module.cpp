// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension module popart_core: the C++ interface of PopART, type by type.
// The package popart (the Python files of this folder) adds what is an idiom of
// Python.

#include "lib/Bindings/Python/popart/Bindings.h"

#include "lib/Bindings/Python/Interrupt.h"

PYBIND11_MODULE(popart_core, module) {
  using namespace populus::python;
  module.doc() = "The C++ interface of PopART; use it as the package popart.";
  bindErrors(module);
  registerInterrupted();
  bindTypes(module);
  bindBuilder(module);
  bindAiGraphcoreOpset1(module);
  bindAiOnnxOpset6(module);
  bindAiOnnxOpset7(module);
  bindAiOnnxOpset8(module);
  bindAiOnnxOpset9(module);
  bindAiOnnxOpset10(module);
  bindAiOnnxOpset11(module);
  bindDevices(module);
  bindOptions(module);
  bindPatterns(module);
  bindOptimizers(module);
  bindLosses(module);
  bindStepIO(module);
  bindSessions(module);
  bindModels(module);
  bindCustomOps(module);
  bindLogging(module);
}
