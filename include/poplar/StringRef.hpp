// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view of text that another object owns. Functions take names and handles in
// this form. A view must not outlive the call.

#ifndef POPULUS_INCLUDE_POPLAR_STRINGREF_HPP
#define POPULUS_INCLUDE_POPLAR_STRINGREF_HPP

#include <cstddef>
#include <cstring>
#include <ostream>
#include <string>

namespace poplar {

class StringRef {
public:
  using const_iterator = const char *;

  StringRef() : first(""), count(0) {}
  StringRef(const char *text)
      : first(text ? text : ""), count(text ? std::strlen(text) : 0) {}
  StringRef(const char *text, std::size_t size) : first(text), count(size) {}
  StringRef(const std::string &text) : first(text.data()), count(text.size()) {}

  const char *data() const { return first; }
  std::size_t size() const { return count; }
  std::size_t length() const { return count; }
  bool empty() const { return count == 0; }
  const char *begin() const { return first; }
  const char *end() const { return first + count; }
  char operator[](std::size_t i) const { return first[i]; }

  std::string cloneAsString() const { return std::string(first, count); }
  operator std::string() const { return cloneAsString(); }

private:
  const char *first;
  std::size_t count;
};

inline int compare(const StringRef &a, const StringRef &b) {
  std::size_t common = a.size() < b.size() ? a.size() : b.size();
  int order = common ? std::memcmp(a.data(), b.data(), common) : 0;
  if (order != 0 || a.size() == b.size())
    return order;
  return a.size() < b.size() ? -1 : 1;
}
inline bool operator==(const StringRef &a, const StringRef &b) {
  return a.size() == b.size() && compare(a, b) == 0;
}
inline bool operator!=(const StringRef &a, const StringRef &b) {
  return !(a == b);
}
inline bool operator<(const StringRef &a, const StringRef &b) {
  return compare(a, b) < 0;
}

inline std::string operator+(const StringRef &a, const StringRef &b) {
  return a.cloneAsString().append(b.data(), b.size());
}
inline std::string operator+(const StringRef &a, const std::string &b) {
  return a.cloneAsString() + b;
}
inline std::string operator+(const std::string &a, const StringRef &b) {
  return std::string(a).append(b.data(), b.size());
}
inline std::string operator+(const StringRef &a, const char *b) {
  return a.cloneAsString() + b;
}
inline std::string operator+(const char *a, const StringRef &b) {
  return std::string(a).append(b.data(), b.size());
}

inline std::ostream &operator<<(std::ostream &out, const StringRef &text) {
  return out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

} // namespace poplar

#endif
