// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A JSON-like value, in which profiles and debug information are returned.

#ifndef POPULUS_INCLUDE_POPLAR_PROFILEVALUE_HPP
#define POPULUS_INCLUDE_POPLAR_PROFILEVALUE_HPP

#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

namespace poplar {

class ProfileValue {
public:
  enum class Type { BOOL, NUMBER, STRING, VECTOR, MAP };
  using Boolean = bool;
  using Number = double;
  using String = std::string;
  using Vector = std::vector<ProfileValue>;
  using Map = std::map<std::string, ProfileValue>;

  ProfileValue();
  ProfileValue(bool value);
  ProfileValue(int value);
  ProfileValue(unsigned value);
  ProfileValue(long value);
  ProfileValue(unsigned long value);
  ProfileValue(long long value);
  ProfileValue(unsigned long long value);
  ProfileValue(float value);
  ProfileValue(double value);
  ProfileValue(const char *value);
  ProfileValue(String value);
  ProfileValue(Vector value);
  ProfileValue(Map value);

  Type type() const { return kind; }

  /// Returns the contents. Throws poplar_error if the value has another type.
  bool asBool() const;
  double asDouble() const;
  std::int64_t asInt() const;
  std::uint64_t asUint() const;
  const String &asString() const;
  const Vector &asVector() const;
  const Map &asMap() const;

  std::size_t size() const;
  const ProfileValue &operator[](std::size_t index) const;
  /// Takes any integer type, so that a literal 0 is not converted to a null
  /// pointer.
  template <typename Integer, typename = typename std::enable_if<
                                  std::is_integral<Integer>::value>::type>
  const ProfileValue &operator[](Integer index) const {
    return (*this)[static_cast<std::size_t>(index)];
  }
  const ProfileValue &operator[](const std::string &key) const;
  const ProfileValue &operator[](const char *key) const;
  /// Returns the member with that name, or null.
  const ProfileValue *getOrNull(const std::string &key) const;

  friend bool operator==(const ProfileValue &a, const ProfileValue &b);

private:
  void expect(Type wanted) const;

  Type kind;
  double number;
  std::shared_ptr<const String> string;
  std::shared_ptr<const Vector> vector;
  std::shared_ptr<const Map> map;
};

bool operator==(const ProfileValue &a, const ProfileValue &b);

void serializeToJSON(std::ostream &out, const ProfileValue &value,
                     bool prettyPrint = false);
void serializeToCBOR(std::ostream &out, const ProfileValue &value);

} // namespace poplar

#endif
