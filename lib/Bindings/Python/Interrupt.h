// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C while C++ works. Python's handlers of signals run only when the
// interpreter does, so whatever takes long asks now and then, and leaves by way
// of an exception that nothing on the way takes for an error of the program.

#ifndef POPULUS_LIB_BINDINGS_PYTHON_INTERRUPT_H
#define POPULUS_LIB_BINDINGS_PYTHON_INTERRUPT_H

#include <pybind11/pybind11.h>

#include <chrono>

namespace populus::python {

/// Python has raised an exception, which the interpreter knows: a handler's
/// KeyboardInterrupt, or that of a function that was told of progress.
struct Interrupted {};

/// Throws Interrupted where a handler raises. May be called often: it looks
/// after signals a few times a second.
class InterruptCheck {
public:
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next)
      return;
    next = now + std::chrono::milliseconds(20);
    const pybind11::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0)
      throw Interrupted();
  }

private:
  std::chrono::steady_clock::time_point next;
};

/// Lets functions of the module being made raise what the handler raised.
inline void registerInterrupted() {
  pybind11::register_local_exception_translator([](std::exception_ptr error) {
    try {
      std::rethrow_exception(std::move(error));
    } catch (const Interrupted &) {
      if (!PyErr_Occurred())
        PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

} // namespace populus::python

#endif
