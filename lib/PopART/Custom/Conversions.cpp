// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of infos and attributes.

#include "lib/PopART/Custom/Conversions.h"

#include "lib/PopART/Support/OnnxTypes.h"

namespace populus::popir {

popart::TensorInfo toPublic(const TensorInfo &info) {
  return {popart::session::fromOnnx(toOnnx(info.type)), info.shape};
}

std::optional<TensorInfo> fromPublic(const popart::TensorInfo &info) {
  const std::optional<DataType> type =
      fromOnnx(popart::session::toOnnx(info.dataType()));
  if (!type)
    return std::nullopt;
  return TensorInfo{*type, info.shape()};
}

popart::Attributes toPublic(const Attributes &attributes) {
  popart::Attributes result;
  for (const auto &[name, value] : attributes.all())
    std::visit(
        [&, &key = name](const auto &given) {
          using T = std::decay_t<decltype(given)>;
          if constexpr (!std::is_same_v<T, std::shared_ptr<const HostTensor>>)
            result.setAttribute(key, given);
        },
        value);
  return result;
}

/// Sets it where the value is a T.
template <class T>
static bool setIf(Attributes &attributes, const std::string &name,
                  const popart::any &value) {
  const T *found = popart::any_cast<T>(&value);
  if (found)
    attributes.set(name, *found);
  return found != nullptr;
}

Attributes fromPublic(const popart::Attributes &attributes) {
  using Given = popart::Attributes;
  Attributes result;
  for (const std::string &name : attributes.getNames()) {
    const popart::any &value = attributes.getAny(name);
    const bool isKnown = setIf<Given::Int>(result, name, value) ||
                         setIf<Given::Float>(result, name, value) ||
                         setIf<Given::String>(result, name, value) ||
                         setIf<Given::Ints>(result, name, value) ||
                         setIf<Given::Floats>(result, name, value) ||
                         setIf<Given::Strings>(result, name, value);
    if (!isKnown)
      throw popart::error("the attribute {} is of a type that no operator has",
                          name);
  }
  return result;
}

namespace {

class Serialiser final : public popart::OpSerialiserBase {
public:
  using Name = const std::string &;
  using OpSerialiserBase::appendAttribute;

  void appendAttribute(Name name, float value) override { set(name, value); }
  void appendAttribute(Name name, double value) override {
    set(name, static_cast<float>(value));
  }
  void appendAttribute(Name name, int value) override { setInt(name, value); }
  void appendAttribute(Name name, std::int64_t value) override {
    set(name, value);
  }
  void appendAttribute(Name name, std::uint32_t value) override {
    setInt(name, value);
  }
  void appendAttribute(Name name, std::uint64_t value) override {
    setInt(name, value);
  }
  void appendAttribute(Name name, const std::string &value) override {
    set(name, value);
  }
  void appendAttribute(Name name, const std::vector<float> &value) override {
    set(name, value);
  }
  void appendAttribute(Name name, const std::vector<double> &value) override {
    set(name, std::vector<float>(value.begin(), value.end()));
  }
  void appendAttribute(Name name,
                       const std::vector<std::int64_t> &value) override {
    set(name, value);
  }
  void appendAttribute(Name name, bool value) override { setInt(name, value); }
  void appendAttribute(Name name, const popart::Scope &value) override {
    set(name, value.str());
  }
  void appendForwardOp(const popart::Op *op) override {
    op->appendOutlineAttributes(*this);
  }

  Attributes attributes;

private:
  void set(Name name, AttributeValue value) {
    attributes.set(name, std::move(value));
  }
  template <class T> void setInt(Name name, T value) {
    attributes.set(name, static_cast<std::int64_t>(value));
  }
};

} // namespace

Attributes attributesOf(const popart::Op &op) {
  Serialiser serialiser;
  op.appendOutlineAttributes(serialiser);
  return std::move(serialiser.attributes);
}

} // namespace populus::popir
