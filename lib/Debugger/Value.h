// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that a debugger shows: a type, and where the bytes are. A value in
// memory is a list of segments, because the elements of a tensor may be on many
// tiles; a value of a register or an expression has its bytes.

#ifndef POPULUS_LIB_DEBUGGER_VALUE_H
#define POPULUS_LIB_DEBUGGER_VALUE_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace populus::debugger {

using runtime::Address;
using runtime::Segment;

/// A command or an expression that makes no sense; the message is complete.
class DebugError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct Type;
using TypePtr = std::shared_ptr<const Type>;

struct Type {
  enum class Kind { Signed, Unsigned, Boolean, Float, Pointer, Struct, Array };
  struct Member {
    std::string name;
    std::uint32_t offset = 0;
    TypePtr type;
  };

  Kind kind = Kind::Unsigned;
  std::string name;
  std::uint64_t bytes = 0;
  std::vector<Member> members; // of a struct
  TypePtr element;             // of an array
  std::uint64_t count = 0;     // the same
  /// The target of a pointer; found when it is asked for, because types may be
  /// recursive.
  std::function<TypePtr()> target;

  bool isScalar() const { return kind != Kind::Struct && kind != Kind::Array; }
};

TypePtr scalarType(Type::Kind kind, unsigned bytes, std::string name);
TypePtr typeOf(runtime::ElementType type);
TypePtr arrayOf(TypePtr element, const std::vector<std::uint64_t> &shape);
/// "float", "int", "half", "unsigned char"; null: no such type.
TypePtr typeNamed(const std::string &name);

struct Value {
  TypePtr type;
  std::vector<Segment> segments; // in memory; else `bytes` are the value
  std::vector<std::byte> bytes;

  bool isInMemory() const { return !segments.empty(); }
};

Value integer(std::int64_t value);
Value real(double value);
Value word(std::uint32_t value);

/// The number of a scalar whose bytes are there. Throws DebugError for others.
double toReal(const Value &value);
std::int64_t toInteger(const Value &value);

/// The part of a value from an offset on.
Value slice(const Value &value, std::uint64_t offset, TypePtr type);

/// Reads memory of tiles.
class Memory {
public:
  virtual ~Memory() = default;
  /// Throws DebugError where there is no memory.
  virtual void read(std::uint32_t tile, Address address, void *data,
                    std::size_t bytes) const = 0;
};

/// The value with its bytes.
Value loaded(const Value &value, const Memory &memory);

/// "{1, 2, 3}", "0x50100", "nan"; `format` is a letter of print/FORMAT or 0.
std::string textOf(const Value &value, const Memory &memory, char format = 0);

} // namespace populus::debugger

#endif
