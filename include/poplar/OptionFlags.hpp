// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A set of options, each a key and a value as text, sorted by key. The function
// that takes the options defines the valid keys.

#ifndef POPULUS_INCLUDE_POPLAR_OPTIONFLAGS_HPP
#define POPULUS_INCLUDE_POPLAR_OPTIONFLAGS_HPP

#include <poplar/StringRef.hpp>

#include <initializer_list>
#include <istream>
#include <map>
#include <ostream>
#include <string>
#include <utility>

namespace poplar {

class OptionFlags {
  using Map = std::map<std::string, std::string>;

public:
  using OptionFlag = Map::value_type;
  using iterator = Map::const_iterator;
  using const_iterator = Map::const_iterator;
  using initializer_list = std::initializer_list<OptionFlag>;

  OptionFlags() {}
  OptionFlags(initializer_list flags) { set(flags); }

  void set(StringRef key, StringRef value) {
    options[key.cloneAsString()] = value.cloneAsString();
  }
  void set(initializer_list flags) {
    for (const OptionFlag &flag : flags)
      options[flag.first] = flag.second;
  }
  void clear() { options.clear(); }

  /// Returns the value of a key. Throws std::out_of_range if it is absent.
  const std::string &at(StringRef key) const {
    return options.at(key.cloneAsString());
  }
  const_iterator find(StringRef key) const {
    return options.find(key.cloneAsString());
  }
  const_iterator begin() const { return options.begin(); }
  const_iterator end() const { return options.end(); }
  bool empty() const { return options.empty(); }
  std::size_t size() const { return options.size(); }

  friend bool operator==(const OptionFlags &a, const OptionFlags &b) {
    return a.options == b.options;
  }
  friend bool operator!=(const OptionFlags &a, const OptionFlags &b) {
    return a.options != b.options;
  }
  friend bool operator<(const OptionFlags &a, const OptionFlags &b) {
    return a.options < b.options;
  }

private:
  Map options;
};

class ProfileValue;

std::ostream &operator<<(std::ostream &out, const OptionFlags &flags);
/// A map from keys to values.
ProfileValue getAsProfileValue(const OptionFlags &flags);

/// Adds the members of a JSON object, whose values must be strings, numbers or
/// booleans. Throws parse_error.
void readJSON(const std::string &text, OptionFlags &flags);
void readJSON(std::istream &input, OptionFlags &flags);
/// The same from an environment variable; does nothing if it is not set.
void readJSONFromEnv(StringRef variable, OptionFlags &flags);

} // namespace poplar

#endif
