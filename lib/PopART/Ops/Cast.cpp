// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cast: conversion of the elements to another type; numbers become integers by
// truncation.

#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Registry.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace popart {

namespace {

/// Out of range is the nearest value, which C++ leaves undefined.
template <class To, class From> To convert(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> &&
                !std::is_same_v<To, bool>) {
    if (std::isnan(value))
      return 0;
    if (value <= static_cast<From>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (value >= static_cast<From>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
  }
  return static_cast<To>(value);
}

class Cast final : public Op {
public:
  explicit Cast(OpSpec spec) : Op(std::move(spec)) {
    if (!fromOnnx(static_cast<int>(attributes().getInt("to", 0))))
      failUnsupported("it converts to a type that is not supported");
  }

  std::vector<TensorInfo> infer() const override {
    return {{*fromOnnx(static_cast<int>(attributes().getInt("to", 0))),
             inputShape(0)}};
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    const HostTensor &from = *input(0).value;
    HostTensor result(infer()[0]);
    bool done = false;
    withElementType(from.type(), [&](auto source) {
      done = withElementType(result.type(), [&](auto target) {
        auto in = from.as<decltype(source)>();
        auto out = result.as<decltype(target)>();
        for (std::size_t i = 0; i != in.size(); ++i)
          out[i] = convert<decltype(target)>(in[i]);
      });
    });
    if (!done)
      failUnsupported("conversions of float16 are not supported yet");
    return std::vector{std::move(result)};
  }

  void lower(Lowering &lowering) const override {
    std::optional<poplar::Type> type = deviceType(output().info.type);
    if (!type)
      failUnsupported(fmt::format("the device has no type {}",
                                  popart::name(output().info.type)));
    lowering.setOutput(
        *this, popops::cast(lowering.graph(), lowering.input(*this, 0), *type,
                            lowering.program(), lowering.debug(*this)));
  }

  bool isIdentity() const override {
    return hasOutput(0) && output().info.type == input(0).info.type;
  }
};

const RegisterOp<Cast> registration("Cast", {6, 9, 13});

} // namespace

} // namespace popart
