// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the names of vertices that are class templates, as popc records them:
// templateVertex("ns::Add", poplar::FLOAT, true) is "ns::Add<float,true>". A
// specialisation of VertexTemplateToString makes any other type a template
// argument.

#ifndef POPULUS_POPUTIL_VERTEXTEMPLATES_HPP
#define POPULUS_POPUTIL_VERTEXTEMPLATES_HPP

#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <string>

namespace poputil {

template <class T> struct VertexTemplateToString {
  static std::string to_string(const T &value) { return std::to_string(value); }
};
template <> struct VertexTemplateToString<bool> {
  static std::string to_string(bool value) { return value ? "true" : "false"; }
};
template <> struct VertexTemplateToString<std::string> {
  static std::string to_string(const std::string &value) { return value; }
};
template <> struct VertexTemplateToString<const char *> {
  static std::string to_string(const char *value) { return value; }
};
template <std::size_t N> struct VertexTemplateToString<char[N]> {
  static std::string to_string(const char (&value)[N]) { return value; }
};
template <> struct VertexTemplateToString<poplar::StringRef> {
  static std::string to_string(const poplar::StringRef &value) {
    return std::string(value);
  }
};
template <> struct VertexTemplateToString<poplar::Type> {
  static std::string to_string(const poplar::Type &value) {
    return std::string(value.toString());
  }
};

inline std::string templateVertexParams(bool first) { return first ? "" : ">"; }

/// "<a,b>" if \p first, ",a,b>" otherwise.
template <class T, class... Args>
std::string templateVertexParams(bool first, const T &value,
                                 const Args &...args) {
  std::string params(1, first ? '<' : ',');
  params += VertexTemplateToString<T>::to_string(value);
  params += templateVertexParams(false, args...);
  return params;
}
template <class... Args>
std::string templateVertex(const std::string &name, const Args &...args) {
  return name + templateVertexParams(true, args...);
}

} // namespace poputil

#endif
