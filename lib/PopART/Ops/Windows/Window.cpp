// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Window arithmetic, with ONNX's ways to give the padding.

#include "lib/PopART/Ops/Windows/Window.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

// Far more than any tile program can use, and safe to multiply.
constexpr std::int64_t LargestAttribute = 1 << 24;

std::vector<std::int64_t> listAttribute(const Op &op, const std::string &name,
                                        std::size_t size, std::int64_t fallback,
                                        std::int64_t smallest) {
  if (!op.attributes().has(name))
    return std::vector<std::int64_t>(size, fallback);
  std::vector<std::int64_t> values = op.attributes().getInts(name);
  if (values.size() != size)
    op.failInput(fmt::format("{} has {} entries and needs {}", name,
                             values.size(), size));
  for (std::int64_t value : values)
    if (value < smallest || value > LargestAttribute)
      op.failInput(fmt::format("{} has the entry {}, which is not possible",
                               name, value));
  return values;
}

class WindowMaker {
public:
  WindowMaker(const Op &op, const Shape &field, const Shape &kernel)
      : op(op), field(field) {
    std::size_t rank = field.size();
    if (kernel.size() != rank)
      op.failInput(fmt::format("its kernel {} has another rank than its field "
                               "{}",
                               toString(kernel), toString(field)));
    for (std::int64_t extent : kernel)
      if (extent < 1 || extent > LargestAttribute)
        op.failInput(
            fmt::format("its kernel {} is not possible", toString(kernel)));
    window.kernel = kernel;
    window.strides = listAttribute(op, "strides", rank, 1, 1);
    window.dilations = listAttribute(op, "dilations", rank, 1, 1);
    roundUp = op.attributes().getInt("ceil_mode", 0) != 0;
  }

  Window run() {
    std::string autoPad = op.attributes().getString("auto_pad", "NOTSET");
    if (autoPad == "NOTSET" || autoPad.empty())
      readPads();
    else if (autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER")
      padToSame(autoPad == "SAME_LOWER");
    else if (autoPad == "VALID")
      window.padLower = window.padUpper =
          std::vector<std::int64_t>(field.size(), 0);
    else
      op.failInput(fmt::format("auto_pad \"{}\" does not exist", autoPad));
    for (std::size_t i = 0; i != field.size(); ++i)
      window.output.push_back(outputExtent(i));
    return std::move(window);
  }

private:
  void readPads() {
    std::vector<std::int64_t> pads =
        listAttribute(op, "pads", 2 * field.size(), 0, 0);
    window.padLower.assign(pads.begin(), pads.begin() + field.size());
    window.padUpper.assign(pads.begin() + field.size(), pads.end());
  }

  /// Pads so that the result has ceil(extent / stride) elements.
  void padToSame(bool moreBelow) {
    for (std::size_t i = 0; i != field.size(); ++i) {
      std::int64_t stride = window.strides[i];
      std::int64_t wanted = (field[i] + stride - 1) / stride;
      std::int64_t total = std::max<std::int64_t>(
          0, (wanted - 1) * stride + window.span(i) - field[i]);
      std::int64_t less = total / 2, more = total - less;
      window.padLower.push_back(moreBelow ? more : less);
      window.padUpper.push_back(moreBelow ? less : more);
    }
  }

  std::int64_t outputExtent(std::size_t i) const {
    std::int64_t room =
        field[i] + window.padLower[i] + window.padUpper[i] - window.span(i);
    if (room < 0)
      op.failInput(fmt::format(
          "its window of {} elements does not fit into dimension {} of its "
          "field {} with padding {} and {}",
          window.span(i), i, toString(field), window.padLower[i],
          window.padUpper[i]));
    std::int64_t stride = window.strides[i];
    if (!roundUp)
      return room / stride + 1;
    std::int64_t extent = (room + stride - 1) / stride + 1;
    // A window that would start in the upper padding does not count.
    if ((extent - 1) * stride >= field[i] + window.padLower[i])
      --extent;
    return extent;
  }

  const Op &op;
  const Shape &field;
  bool roundUp = false;
  Window window;
};

} // namespace

std::int64_t Window::exactPadUpper(std::size_t dim, std::int64_t extent) const {
  return (output[dim] - 1) * strides[dim] + span(dim) - extent - padLower[dim];
}

Window makeWindow(const Op &op, const Shape &fieldShape, const Shape &kernel) {
  return WindowMaker(op, fieldShape, kernel).run();
}

Shape fieldOf(const Op &op, const Shape &activation) {
  if (activation.size() < 3)
    op.failInput(fmt::format("its input {} has no field; it needs batch, "
                             "channels, and at least one more dimension",
                             toString(activation)));
  return Shape(activation.begin() + 2, activation.end());
}

} // namespace populus::popir
