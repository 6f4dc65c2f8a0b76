// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profile values and their text form.

#include <poplar/ProfileValue.hpp>

#include <poplar/exceptions.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace poplar {

namespace {

const char *typeName(ProfileValue::Type type) {
  switch (type) {
  case ProfileValue::Type::BOOL:
    return "a boolean";
  case ProfileValue::Type::NUMBER:
    return "a number";
  case ProfileValue::Type::STRING:
    return "a string";
  case ProfileValue::Type::VECTOR:
    return "a list";
  case ProfileValue::Type::MAP:
    return "a map";
  }
  return "?";
}

nlohmann::ordered_json toJson(const ProfileValue &value) {
  switch (value.type()) {
  case ProfileValue::Type::BOOL:
    return value.asBool();
  case ProfileValue::Type::NUMBER: {
    const double number = value.asDouble();
    if (number == std::floor(number) && std::abs(number) < 9e15)
      return static_cast<std::int64_t>(number);
    return number;
  }
  case ProfileValue::Type::STRING:
    return value.asString();
  case ProfileValue::Type::VECTOR: {
    auto list = nlohmann::ordered_json::array();
    for (const ProfileValue &entry : value.asVector())
      list.push_back(toJson(entry));
    return list;
  }
  case ProfileValue::Type::MAP: {
    auto map = nlohmann::ordered_json::object();
    for (const auto &[key, entry] : value.asMap())
      map[key] = toJson(entry);
    return map;
  }
  }
  return nullptr;
}

} // namespace

ProfileValue::ProfileValue() : ProfileValue(Map()) {}
ProfileValue::ProfileValue(bool value) : kind(Type::BOOL), number(value) {}
#define POPULUS_NUMBER(TYPE)                                                   \
  ProfileValue::ProfileValue(TYPE value)                                       \
      : kind(Type::NUMBER), number(static_cast<double>(value)) {}
POPULUS_NUMBER(int)
POPULUS_NUMBER(unsigned)
POPULUS_NUMBER(long)
POPULUS_NUMBER(unsigned long)
POPULUS_NUMBER(long long)
POPULUS_NUMBER(unsigned long long)
POPULUS_NUMBER(float)
POPULUS_NUMBER(double)
#undef POPULUS_NUMBER
ProfileValue::ProfileValue(const char *value) : ProfileValue(String(value)) {}
ProfileValue::ProfileValue(String value)
    : kind(Type::STRING), number(0),
      string(std::make_shared<const String>(std::move(value))) {}
ProfileValue::ProfileValue(Vector value)
    : kind(Type::VECTOR), number(0),
      vector(std::make_shared<const Vector>(std::move(value))) {}
ProfileValue::ProfileValue(Map value)
    : kind(Type::MAP), number(0),
      map(std::make_shared<const Map>(std::move(value))) {}

void ProfileValue::expect(Type wanted) const {
  if (kind != wanted)
    throw poplar_error(std::string("a profile value is ") + typeName(kind) +
                       ", not " + typeName(wanted));
}

bool ProfileValue::asBool() const {
  expect(Type::BOOL);
  return number != 0;
}
double ProfileValue::asDouble() const {
  expect(Type::NUMBER);
  return number;
}
std::int64_t ProfileValue::asInt() const {
  return static_cast<std::int64_t>(asDouble());
}
std::uint64_t ProfileValue::asUint() const {
  return static_cast<std::uint64_t>(asDouble());
}
const ProfileValue::String &ProfileValue::asString() const {
  expect(Type::STRING);
  return *string;
}
const ProfileValue::Vector &ProfileValue::asVector() const {
  expect(Type::VECTOR);
  return *vector;
}
const ProfileValue::Map &ProfileValue::asMap() const {
  expect(Type::MAP);
  return *map;
}

std::size_t ProfileValue::size() const {
  return kind == Type::MAP ? map->size() : asVector().size();
}
const ProfileValue &ProfileValue::operator[](std::size_t index) const {
  if (index >= asVector().size())
    throw poplar_error("a profile list has no entry " + std::to_string(index));
  return (*vector)[index];
}
const ProfileValue &ProfileValue::operator[](const std::string &key) const {
  const ProfileValue *member = getOrNull(key);
  if (!member)
    throw poplar_error("a profile map has no member '" + key + "'");
  return *member;
}
const ProfileValue &ProfileValue::operator[](const char *key) const {
  return (*this)[std::string(key)];
}
const ProfileValue *ProfileValue::getOrNull(const std::string &key) const {
  const auto member = asMap().find(key);
  return member == map->end() ? nullptr : &member->second;
}

bool operator==(const ProfileValue &a, const ProfileValue &b) {
  return toJson(a) == toJson(b);
}

void serializeToJSON(std::ostream &out, const ProfileValue &value,
                     bool prettyPrint) {
  out << toJson(value).dump(prettyPrint ? 2 : -1);
}

void serializeToCBOR(std::ostream &out, const ProfileValue &value) {
  const std::vector<std::uint8_t> bytes =
      nlohmann::ordered_json::to_cbor(toJson(value));
  out.write(reinterpret_cast<const char *>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

} // namespace poplar
