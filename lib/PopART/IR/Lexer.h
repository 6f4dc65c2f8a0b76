// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens of the IR's text: words, numbers, strings and signs, separated by
// blanks and comments ("//" to the end of the line). Errors name file, line and
// column.

#ifndef POPULUS_LIB_POPART_IR_LEXER_H
#define POPULUS_LIB_POPART_IR_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace populus::popir {

class Lexer {
public:
  Lexer(std::string_view text, std::string file)
      : text(text), file(std::move(file)) {}

  bool atEnd();
  /// The next character that is not blank; 0 at the end.
  char peek();
  /// Takes a sign such as "(" if it comes next.
  bool take(std::string_view sign);
  void expect(std::string_view sign);
  /// Takes a word if it comes next as a whole.
  bool takeWord(std::string_view word);
  /// Takes letters, digits and any of "_./-$". If there are none, throws an
  /// Error that expects `what`.
  std::string_view word(std::string_view what);
  /// A word or a string in quotes.
  std::string name(std::string_view what);
  std::string quotedString();
  std::int64_t integer(std::string_view what);

  /// Throws an Error at the start of the last token.
  [[noreturn]] void fail(const std::string &message) const;

private:
  void skipBlanks();
  void appendEscaped(std::string &result);

  std::string_view text;
  std::string file;
  std::size_t place = 0;
  std::size_t tokenStart = 0;
};

} // namespace populus::popir

#endif
