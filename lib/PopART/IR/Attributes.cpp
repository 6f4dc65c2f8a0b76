// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed access to an operator's attributes, and their text form.

#include "lib/PopART/IR/Attributes.h"

#include "lib/PopART/IR/Literal.h"
#include "lib/PopART/IR/Text.h"
#include "lib/PopART/Support/Error.h"

#include <algorithm>

namespace populus::popir {

namespace {

template <class T>
T lookUp(const std::map<std::string, AttributeValue> &values,
         const std::string &name, T fallback) {
  auto found = values.find(name);
  if (found == values.end())
    return fallback;
  const T *value = std::get_if<T>(&found->second);
  if (!value)
    failInput("attribute '{}' has the wrong type", name);
  return *value;
}

struct Printer {
  const TextOptions &options;

  std::string operator()(std::int64_t value) const {
    return std::to_string(value);
  }
  std::string operator()(float value) const { return floatText(value); }
  std::string operator()(const std::string &value) const {
    return quoted(value);
  }
  std::string operator()(const std::vector<std::int64_t> &list) const {
    return text(list, "ints");
  }
  std::string operator()(const std::vector<float> &list) const {
    return text(list, "floats");
  }
  std::string operator()(const std::vector<std::string> &list) const {
    return text(list, "strings");
  }
  std::string
  operator()(const std::shared_ptr<const HostTensor> &tensor) const {
    return "tensor " + popir::toString(*tensor, options);
  }

private:
  // An empty list has no elements to infer its type from: print the type.
  template <class T>
  std::string text(const std::vector<T> &list, const char *type) const {
    std::vector<std::string> texts;
    for (const T &item : list)
      texts.push_back((*this)(item));
    return fmt::format("{}[{}]", list.empty() ? type : "",
                       fmt::join(texts, ", "));
  }
};

} // namespace

void Attributes::set(std::string name, AttributeValue value) {
  values.insert_or_assign(std::move(name), std::move(value));
}

std::int64_t Attributes::getInt(const std::string &name,
                                std::int64_t fallback) const {
  return lookUp(values, name, fallback);
}

float Attributes::getFloat(const std::string &name, float fallback) const {
  return lookUp(values, name, fallback);
}

std::string Attributes::getString(const std::string &name,
                                  std::string fallback) const {
  return lookUp(values, name, std::move(fallback));
}

std::vector<std::int64_t> Attributes::getInts(const std::string &name) const {
  return lookUp(values, name, std::vector<std::int64_t>());
}

std::vector<float> Attributes::getFloats(const std::string &name) const {
  return lookUp(values, name, std::vector<float>());
}

std::vector<std::string> Attributes::getStrings(const std::string &name) const {
  return lookUp(values, name, std::vector<std::string>());
}

std::shared_ptr<const HostTensor>
Attributes::getTensor(const std::string &name) const {
  return lookUp(values, name, std::shared_ptr<const HostTensor>());
}

bool Attributes::hasTensors() const {
  using TensorValue = std::shared_ptr<const HostTensor>;
  return std::any_of(values.begin(), values.end(), [](const auto &entry) {
    return std::holds_alternative<TensorValue>(entry.second);
  });
}

std::string Attributes::toString() const { return toString(TextOptions()); }

std::string Attributes::toString(const TextOptions &options) const {
  std::string text;
  for (const auto &[name, value] : values)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", quotedName(name),
                        std::visit(Printer{options}, value));
  return text;
}

} // namespace populus::popir
