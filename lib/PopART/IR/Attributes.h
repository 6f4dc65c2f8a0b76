// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of an operator, by name, as the model gives them. Operators
// read what they need when they are made; the text of the IR has them all.

#ifndef POPULUS_LIB_POPART_IR_ATTRIBUTES_H
#define POPULUS_LIB_POPART_IR_ATTRIBUTES_H

#include "lib/PopART/IR/HostTensor.h"

#include <map>
#include <memory>
#include <variant>

namespace populus::popir {

using AttributeValue =
    std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                 std::vector<float>, std::vector<std::string>,
                 std::shared_ptr<const HostTensor>>;

struct TextOptions;

class Attributes {
public:
  void set(std::string name, AttributeValue value);
  void remove(const std::string &name) { values.erase(name); }
  bool has(const std::string &name) const { return values.count(name) != 0; }

  // The value of an attribute, or the default where it is absent. An attribute
  // of another type is an Error.
  std::int64_t getInt(const std::string &name, std::int64_t fallback) const;
  float getFloat(const std::string &name, float fallback) const;
  std::string getString(const std::string &name, std::string fallback) const;
  std::vector<std::int64_t> getInts(const std::string &name) const;
  std::vector<float> getFloats(const std::string &name) const;
  std::vector<std::string> getStrings(const std::string &name) const;
  /// Null where it is absent.
  std::shared_ptr<const HostTensor> getTensor(const std::string &name) const;

  /// Whether one of them is a tensor.
  bool hasTensors() const;

  /// By name, in order.
  const std::map<std::string, AttributeValue> &all() const { return values; }

  /// "axis=1, pads=[0, 0]". Attributes that differ have other texts, but for
  /// the elements of large tensors.
  std::string toString() const;
  std::string toString(const TextOptions &options) const;

private:
  std::map<std::string, AttributeValue> values;
};

} // namespace populus::popir

#endif
