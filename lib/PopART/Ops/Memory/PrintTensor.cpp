// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PrintTensor: prints its input on standard error in each batch, and returns it
// unchanged. If its result is unused, it is dropped, unless the attribute
// `always` is set.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>
#include <poplar/PrintTensor.hpp>

namespace populus::popir {

namespace {

class PrintTensor final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override { return {input(0).info}; }
  bool hasEffect() const override {
    return attributes().getInt("always", 0) != 0;
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    std::string title = attributes().getString("title", "");
    lowering.program().add(
        poplar::program::PrintTensor(title.empty() ? input(0).name : title, x,
                                     format(), lowering.debug(*this)));
    if (hasOutput(0))
      lowering.setOutput(*this, x);
  }

  /// With print_gradient, prints the gradient, too; the default title is its
  /// name.
  void differentiate(Gradients &g) const override {
    if (attributes().getInt("print_gradient", 0) == 0)
      return g.set(0, g.dy());
    Attributes printed = attributes();
    printed.remove("print_gradient");
    const std::string title = attributes().getString("title", "");
    printed.set("title", title.empty() ? g.dy().name : title + "_gradient");
    g.set(0, g.opLike("PrintTensor", {&g.dy()}, printed, "ai.graphcore"));
  }

private:
  unsigned number(const char *name, std::int64_t fallback) const {
    std::int64_t value = attributes().getInt(name, fallback);
    if (value < 0 || value > (std::int64_t(1) << 31))
      failInput(fmt::format("its {} of {} is not possible", name, value));
    return static_cast<unsigned>(value);
  }

  char mark(const char *name, char fallback) const {
    std::string text = attributes().getString(name, std::string(1, fallback));
    if (text.size() != 1)
      failInput(fmt::format("its {} is not a single character", name));
    return text[0];
  }

  poplar::PrintTensorFmt format() const {
    std::int64_t form = attributes().getInt("floatFormat", 0);
    if (form < 0 || form > 3)
      failInput(fmt::format("its floatFormat {} is not one of 0 to 3", form));
    return {number("summariseThreshold", 1000),
            number("edgeItems", 3),
            number("maxLineWidth", 75),
            number("digits", 8),
            static_cast<poplar::PrintTensorFmt::FloatFormat>(form),
            mark("separator", ' '),
            mark("openBracket", '['),
            mark("closeBracket", ']')};
  }
};

const RegisterOp<PrintTensor> registration("PrintTensor", {1}, "ai.graphcore",
                                           1);

} // namespace

} // namespace populus::popir
