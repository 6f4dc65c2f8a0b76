// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A source location in a host program, captured where a graph object is made.

#ifndef POPULUS_INCLUDE_POPLAR_SOURCELOCATION_HPP
#define POPULUS_INCLUDE_POPLAR_SOURCELOCATION_HPP

#include <cstdint>
#include <string>

namespace poplar {

class SourceLocation {
public:
  constexpr SourceLocation() : function(""), file(""), line(0) {}
  constexpr SourceLocation(const char *function, const char *file,
                           std::uint32_t line)
      : function(function), file(file), line(line) {}

  const char *getFunctionName() const { return function; }
  const char *getFileName() const { return file; }
  std::uint32_t getLineNumber() const { return line; }
  bool isValid() const { return line != 0; }

#if defined(__GNUC__) || defined(__clang__)
  static constexpr SourceLocation
  Current(const char *function = __builtin_FUNCTION(),
          const char *file = __builtin_FILE(),
          std::uint32_t line = __builtin_LINE()) {
    return SourceLocation(function, file, line);
  }
#else
  static constexpr SourceLocation Current() { return SourceLocation(); }
#endif

private:
  // Always string literals, or strings that the caller keeps alive.
  const char *function;
  const char *file;
  std::uint32_t line;
};

} // namespace poplar

#endif
