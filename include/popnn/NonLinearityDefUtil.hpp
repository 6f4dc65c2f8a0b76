// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nonlinear functions by name: in messages, options, and names of vertices.

#ifndef POPULUS_POPNN_NONLINEARITYDEFUTIL_HPP
#define POPULUS_POPNN_NONLINEARITYDEFUTIL_HPP

#include <popnn/NonLinearityDef.hpp>
#include <poputil/VertexTemplates.hpp>

#include <iosfwd>
#include <string>

namespace popnn {

const char *asString(const NonLinearityType &type);
std::ostream &operator<<(std::ostream &os, const NonLinearityType &type);
std::istream &operator>>(std::istream &is, NonLinearityType &type);

} // namespace popnn

namespace poputil {

/// "popnn::NonLinearityType::RELU"
template <> struct VertexTemplateToString<popnn::NonLinearityType> {
  static std::string to_string(const popnn::NonLinearityType &type);
};

} // namespace poputil

#endif
