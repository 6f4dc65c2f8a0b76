// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions of the interface. Messages may be patterns in which each {} stands
// for the next argument.

#ifndef POPULUS_INCLUDE_POPART_ERROR_HPP
#define POPULUS_INCLUDE_POPART_ERROR_HPP

#include <sstream>
#include <stdexcept>
#include <string>

namespace popart {

namespace popart_detail {

inline void formatRest(std::ostream &out, const std::string &text) {
  out << text;
}

template <class T, class... Rest>
void formatRest(std::ostream &out, const std::string &text, const T &first,
                const Rest &...rest) {
  std::size_t place = text.find("{}");
  if (place == std::string::npos) {
    out << text;
    return;
  }
  out << text.substr(0, place) << first;
  formatRest(out, text.substr(place + 2), rest...);
}

template <class... Args>
std::string format(const std::string &text, const Args &...args) {
  std::ostringstream out;
  formatRest(out, text, args...);
  return out.str();
}

} // namespace popart_detail

/// The base of all exceptions of PopART.
class error : public std::runtime_error {
public:
  template <class... Args>
  explicit error(const std::string &text, const Args &...args)
      : std::runtime_error(popart_detail::format(text, args...)) {}
};

/// An internal error of PopART.
class internal_error : public error {
public:
  using error::error;
};

/// The program does not fit into the memory of the device.
class memory_allocation_err : public error {
public:
  using error::error;
};

/// A run cannot continue: wrong buffers, or calls in the wrong order.
class runtime_error : public error {
public:
  using error::error;
};

/// An optimizer cannot replace the one that a session was made with.
class optimizer_replacement_error : public error {
public:
  using error::error;
};

} // namespace popart

#endif
