// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Slice. An operator that is made of numbers has them as the
// attributes of version 1.

#ifndef POPULUS_INCLUDE_POPART_OP_SLICE_HPP
#define POPULUS_INCLUDE_POPART_OP_SLICE_HPP

#include <popart/op/builtin.hpp>

#include <cstdint>
#include <vector>

namespace popart {

class SliceOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(SliceOp, UnaryOp, "ai.onnx", "Slice")
  SliceOp(const OperatorIdentifier &, const std::vector<std::int64_t> &starts,
          const std::vector<std::int64_t> &ends,
          const std::vector<std::int64_t> &axes, const Op::Settings &settings)
      : UnaryOp("ai.onnx", "Slice",
                OperatorIdentifier(Domain::ai_onnx, "Slice", 1), settings,
                attributesOf(starts, ends, axes)) {}

  std::vector<std::int64_t> getStarts() const { return list("starts"); }
  std::vector<std::int64_t> getEnds() const { return list("ends"); }
  std::vector<std::int64_t> getAxes() const { return list("axes"); }

private:
  std::vector<std::int64_t> list(const char *name) const {
    return attributes().getAttribute<Attributes::Ints>(name, {});
  }
  static Attributes attributesOf(const std::vector<std::int64_t> &starts,
                                 const std::vector<std::int64_t> &ends,
                                 const std::vector<std::int64_t> &axes) {
    Attributes attributes;
    attributes.setAttribute("starts", starts);
    attributes.setAttribute("ends", ends);
    attributes.setAttribute("axes", axes);
    return attributes;
  }
};

} // namespace popart

#endif
