// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of an operator, by name, as the model gives them. An operator
// parses the ones it needs when it is created; the text of the IR shows all.

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

  /// True if an attribute is a tensor.
  bool hasTensors() const;

  /// By name, in order.
  const std::map<std::string, AttributeValue> &all() const { return values; }

  /// "axis=1, pads=[0, 0]". Different attributes give different texts, except
  /// that the elements of large tensors are left out.
  std::string toString() const;
  std::string toString(const TextOptions &options) const;

private:
  std::map<std::string, AttributeValue> values;
};

} // namespace populus::popir

#endif
