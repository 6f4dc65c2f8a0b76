// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information of a tensor: its name, type and shape.

#ifndef POPULUS_INCLUDE_POPART_TENSORDEBUGINFO_HPP
#define POPULUS_INCLUDE_POPART_TENSORDEBUGINFO_HPP

#include <popart/debugcontext.hpp>
#include <popart/tensor.hpp>

#include <sstream>

namespace popart {

class TensorDebugInfo : public DebugInfo {
public:
  TensorDebugInfo(const DebugContext &context, const TensorId &tensor,
                  TensorType type)
      : DebugInfo(context, "popart") {
    std::ostringstream kind;
    kind << type;
    setValue("category", "tensor");
    setValue("tensorId", tensor);
    setValue("type", kind.str());
  }
  TensorDebugInfo(const DebugContext &context, const TensorId &tensor,
                  const TensorInfo &info, TensorType type)
      : TensorDebugInfo(context, tensor, type) {
    setValue("elementType", info.data_type());
    std::ostringstream shape;
    for (std::int64_t extent : info.shape())
      shape << (shape.str().empty() ? "" : ",") << extent;
    setValue("shape", "(" + shape.str() + ")");
  }
};

} // namespace popart

#endif
