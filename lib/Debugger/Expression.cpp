// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parser that evaluates while it reads: binary operators by precedence,
// unary ones, then what follows a value ([index], .member, ->member).

#include "lib/Debugger/Expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

namespace populus::debugger {

namespace {

using Kind = Type::Kind;

struct Operator {
  const char *text;
  int precedence;
};
/// Longer ones first.
constexpr Operator Operators[] = {
    {"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
    {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
    {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

bool isFloat(const Value &value) { return value.type->kind == Kind::Float; }

bool isNameBegin(char c) { return std::isalpha((unsigned char)c) || c == '_'; }
bool isNamePart(char c) { return std::isalnum((unsigned char)c) || c == '_'; }

template <typename T> bool compare(const std::string &op, T left, T right) {
  return op == "=="   ? left == right
         : op == "!=" ? left != right
         : op == "<"  ? left < right
         : op == "<=" ? left <= right
         : op == ">"  ? left > right
                      : left >= right;
}

Value ofReals(const std::string &op, double left, double right) {
  if (op == "+")
    return real(left + right);
  if (op == "-")
    return real(left - right);
  if (op == "*")
    return real(left * right);
  if (op == "/")
    return real(left / right);
  throw DebugError("operator " + op + " needs integers");
}

Value ofIntegers(const std::string &op, std::int64_t left, std::int64_t right) {
  const auto a = static_cast<std::uint64_t>(left);
  const auto b = static_cast<std::uint64_t>(right);
  const auto wrap = [](std::uint64_t value) {
    return integer(static_cast<std::int64_t>(value));
  };
  if ((op == "/" || op == "%") && (right == 0 || right == -1)) {
    if (right == 0)
      throw DebugError("division by zero");
    return op == "/" ? wrap(0 - a) : integer(0);
  }
  if (op == "+")
    return wrap(a + b);
  if (op == "-")
    return wrap(a - b);
  if (op == "*")
    return wrap(a * b);
  if (op == "/")
    return integer(left / right);
  if (op == "%")
    return integer(left % right);
  if (op == "&")
    return wrap(a & b);
  if (op == "|")
    return wrap(a | b);
  if (op == "^")
    return wrap(a ^ b);
  if (right < 0 || right > 63)
    throw DebugError("a shift by " + std::to_string(right));
  return op == "<<" ? wrap(a << b) : integer(left >> right);
}

class Parser {
public:
  Parser(const std::string &text, const Scope &scope)
      : text(text), scope(scope) {}

  Value parse() {
    Value value = binary(1);
    skipBlanks();
    if (at != text.size())
      throw DebugError("'" + text + "' cannot be understood from '" +
                       text.substr(at) + "' on");
    return value;
  }

private:
  void skipBlanks() {
    while (at != text.size() && std::isspace((unsigned char)text[at]))
      ++at;
  }
  bool take(const char *token) {
    skipBlanks();
    if (text.compare(at, std::strlen(token), token) != 0)
      return false;
    at += std::strlen(token);
    return true;
  }
  void expect(const char *token) {
    if (!take(token))
      throw DebugError("'" + text + "': expected '" + token + "' " +
                       (at == text.size()
                            ? "at the end"
                            : "before '" + text.substr(at) + "'"));
  }

  std::optional<Operator> peekOperator() {
    skipBlanks();
    for (const Operator &op : Operators)
      if (text.compare(at, std::strlen(op.text), op.text) == 0)
        return op;
    return std::nullopt;
  }

  Value binary(int precedence) {
    Value left = unary();
    for (;;) {
      const auto op = peekOperator();
      if (!op || op->precedence < precedence)
        return left;
      at += std::strlen(op->text);
      left = apply(op->text, left, binary(op->precedence + 1));
    }
  }

  Value apply(const std::string &op, const Value &leftPlace,
              const Value &rightPlace) {
    const Value left = loaded(leftPlace, scope.memory());
    const Value right = loaded(rightPlace, scope.memory());
    if (op == "&&" || op == "||") {
      const bool a = toReal(left) != 0, b = toReal(right) != 0;
      return integer(op == "&&" ? a && b : a || b);
    }
    const bool isComparison =
        op == "==" || op == "!=" || op[0] == '<' || op[0] == '>';
    if (isComparison && op != "<<" && op != ">>") {
      if (isFloat(left) || isFloat(right))
        return integer(compare(op, toReal(left), toReal(right)));
      return integer(compare(op, toInteger(left), toInteger(right)));
    }
    if (isFloat(left) || isFloat(right))
      return ofReals(op, toReal(left), toReal(right));
    return ofIntegers(op, toInteger(left), toInteger(right));
  }

  Value unary() {
    if (take("!"))
      return integer(toReal(loaded(unary(), scope.memory())) == 0);
    if (take("-")) {
      const Value value = loaded(unary(), scope.memory());
      return isFloat(value) ? real(-toReal(value))
                            : ofIntegers("-", 0, toInteger(value));
    }
    if (take("~"))
      return integer(~toInteger(loaded(unary(), scope.memory())));
    if (take("&"))
      return addressOf(unary());
    if (take("*"))
      return dereference(unary());
    return suffixes(primary());
  }

  Value addressOf(const Value &value) {
    if (!value.isInMemory())
      throw DebugError("a value that is in no memory has no address");
    return word(value.segments.front().address);
  }

  Value inMemory(std::int64_t address, const TypePtr &type) {
    return {type,
            {{scope.tile(), static_cast<Address>(address),
              static_cast<std::uint32_t>(type->bytes)}},
            {}};
  }

  Value dereference(const Value &pointer) {
    const Value value = loaded(pointer, scope.memory());
    TypePtr type;
    if (value.type->kind == Kind::Pointer && value.type->target)
      type = value.type->target();
    return inMemory(toInteger(value), type ? type : typeNamed("unsigned"));
  }

  Value suffixes(Value value) {
    for (;;) {
      if (take("[")) {
        const std::int64_t index = toInteger(loaded(binary(1), scope.memory()));
        expect("]");
        value = element(value, index);
      } else if (take("->")) {
        value = member(dereference(value), name());
      } else if (at + 1 < text.size() && text[at] == '.' &&
                 isNameBegin(text[at + 1])) {
        ++at;
        value = member(value, name());
      } else {
        return value;
      }
    }
  }

  Value element(const Value &value, std::int64_t number) {
    if (value.type->kind == Kind::Pointer) {
      const TypePtr type = value.type->target ? value.type->target() : nullptr;
      if (!type)
        throw DebugError("the type that the pointer points to is not known");
      return inMemory(toInteger(loaded(value, scope.memory())) +
                          number * static_cast<std::int64_t>(type->bytes),
                      type);
    }
    if (value.type->kind != Kind::Array)
      throw DebugError("a value of type '" + value.type->name +
                       "' has no elements");
    if (number < 0 || static_cast<std::uint64_t>(number) >= value.type->count)
      throw DebugError("index " + std::to_string(number) + " is not in 0 to " +
                       std::to_string(value.type->count) + " - 1");
    const TypePtr &type = value.type->element;
    return slice(value, static_cast<std::uint64_t>(number) * type->bytes, type);
  }

  Value member(const Value &value, const std::string &wanted) {
    for (const Type::Member &member : value.type->members)
      if (member.name == wanted)
        return slice(value, member.offset, member.type);
    throw DebugError("a value of type '" + value.type->name +
                     "' has no member '" + wanted + "'");
  }

  std::string name() {
    skipBlanks();
    const std::size_t begin = at;
    while (at != text.size() && isNamePart(text[at]))
      ++at;
    if (begin == at)
      throw DebugError("'" + text + "': expected a name");
    return text.substr(begin, at - begin);
  }

  Value primary() {
    skipBlanks();
    if (at == text.size())
      throw DebugError("'" + text + "': expected a value at the end");
    if (take("(")) {
      Value value = binary(1);
      expect(")");
      return value;
    }
    if (take("{"))
      return typedMemory();
    if (take("$")) {
      const std::string wanted = name();
      if (const auto value = scope.registerNamed(wanted))
        return *value;
      throw DebugError("there is no register '$" + wanted +
                       "' here; info registers lists them");
    }
    if (take("'"))
      return scope.named(upTo('\''));
    if (std::isdigit((unsigned char)text[at]) ||
        (text[at] == '.' && at + 1 < text.size() &&
         std::isdigit((unsigned char)text[at + 1])))
      return number();
    if (!isNameBegin(text[at]))
      throw DebugError("'" + text + "' cannot be understood from '" +
                       text.substr(at) + "' on");
    const std::string word = name();
    if (word == "isnan" && take("(")) {
      const Value value = loaded(binary(1), scope.memory());
      expect(")");
      return integer(isFloat(value) && std::isnan(toReal(value)));
    }
    if (word == "true" || word == "false")
      return integer(word == "true");
    return scope.named(word);
  }

  std::string upTo(char end) {
    const std::size_t begin = at;
    at = text.find(end, at);
    if (at == std::string::npos)
      throw DebugError("'" + text + "': the quote has no end");
    return text.substr(begin, at++ - begin);
  }

  /// {float}0x50100
  Value typedMemory() {
    const std::string wanted = upTo('}');
    const TypePtr type = typeNamed(wanted);
    if (!type)
      throw DebugError("there is no type '" + wanted +
                       "'; such as float, half, int, unsigned char");
    return inMemory(toInteger(loaded(unary(), scope.memory())), type);
  }

  Value number() {
    const char *begin = text.c_str() + at;
    char *afterInteger = nullptr, *afterReal = nullptr;
    const auto whole = std::strtoull(begin, &afterInteger, 0);
    const double fraction = std::strtod(begin, &afterReal);
    const bool isReal = afterReal > afterInteger;
    at += static_cast<std::size_t>((isReal ? afterReal : afterInteger) - begin);
    return isReal ? real(fraction) : integer(static_cast<std::int64_t>(whole));
  }

  const std::string &text;
  const Scope &scope;
  std::size_t at = 0;
};

} // namespace

Value evaluate(const std::string &expression, const Scope &scope) {
  return Parser(expression, scope).parse();
}

bool isTrue(const std::string &expression, const Scope &scope) {
  return toReal(loaded(evaluate(expression, scope), scope.memory())) != 0;
}

} // namespace populus::debugger
