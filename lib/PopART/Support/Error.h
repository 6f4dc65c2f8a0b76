// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exception type of this component. Its kind decides the exit status of
// popart-compile. Its text names the problem, the location, and the remedy.

#ifndef POPULUS_LIB_POPART_SUPPORT_ERROR_H
#define POPULUS_LIB_POPART_SUPPORT_ERROR_H

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace populus::popir {

/// The numbers are the exit codes of docs/architecture.md.
enum class ErrorKind {
  Input = 1,       // the model or the environment is at fault
  Usage = 2,       // an option is at fault
  Unsupported = 3, // the model needs something that is not there yet
  Memory = 4,      // the program does not fit
  Internal = 70,   // our own mistake
};

/// `text` on one line: names in models can contain anything.
std::string printable(const std::string &text);

class Error : public std::runtime_error {
public:
  Error(ErrorKind kind, const std::string &text)
      : std::runtime_error(printable(text)), errorKind(kind) {}

  ErrorKind kind() const { return errorKind; }

private:
  ErrorKind errorKind;
};

/// A value has to be known at compile time, but depends on `inputs` of the
/// model.
class UnknownValue : public Error {
public:
  UnknownValue(ErrorKind kind, const std::string &text,
               std::set<std::string> inputs)
      : Error(kind, text), inputNames(std::move(inputs)) {}

  const std::set<std::string> &inputs() const { return inputNames; }

private:
  std::set<std::string> inputNames;
};

template <class... Args>
[[noreturn]] void fail(ErrorKind kind, fmt::format_string<Args...> format,
                       Args &&...args) {
  throw Error(kind, fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
[[noreturn]] void failInput(fmt::format_string<Args...> format,
                            Args &&...args) {
  fail(ErrorKind::Input, format, std::forward<Args>(args)...);
}

template <class... Args>
[[noreturn]] void failUnsupported(fmt::format_string<Args...> format,
                                  Args &&...args) {
  fail(ErrorKind::Unsupported, format, std::forward<Args>(args)...);
}

} // namespace populus::popir

#endif
