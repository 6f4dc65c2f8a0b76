// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ConstantOfShape: a tensor of a constant shape, all elements the same.

#include "lib/PopART/Ops/Constants/ConstantOnlyOp.h"

#include <cstring>

namespace populus::popir {

namespace {

class ConstantOfShape final : public ConstantOnlyOp {
public:
  using ConstantOnlyOp::ConstantOnlyOp;

  std::vector<TensorInfo> infer() const override {
    std::shared_ptr<const HostTensor> value = attributes().getTensor("value");
    if (value && value->numElements() != 1)
      failInput("its value is not a single element");
    return {{value ? value->type() : DataType::Float,
             constantInput(0, "shape").toInts()}};
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    HostTensor result(infer()[0]);
    if (std::shared_ptr<const HostTensor> value =
            attributes().getTensor("value"))
      for (std::int64_t i = 0; i != result.numElements(); ++i)
        std::memcpy(result.bytes().data() + i * sizeOf(result.type()),
                    value->bytes().data(), sizeOf(result.type()));
    return std::vector{std::move(result)};
  }
};

const RegisterOp<ConstantOfShape> registration("ConstantOfShape",
                                               {9, 20, 21, 23, 24, 25});

} // namespace

} // namespace populus::popir
