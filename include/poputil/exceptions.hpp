// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exception type of the PopLibs libraries, thrown by graph-building
// functions for wrong shapes, types or options. The message names the function
// and the offending values.

#ifndef POPULUS_POPUTIL_EXCEPTIONS_HPP
#define POPULUS_POPUTIL_EXCEPTIONS_HPP

#include <stdexcept>
#include <string>

namespace poputil {

struct poplibs_error : public std::runtime_error {
  std::string type;
  explicit poplibs_error(const std::string &message);
  explicit poplibs_error(const char *message);
};

} // namespace poputil

#endif
