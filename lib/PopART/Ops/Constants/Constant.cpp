// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant: a tensor given by an attribute. It exists only while a model is
// imported; the IR has constant tensors instead.

#include "lib/PopART/Ops/Constants/ConstantOnlyOp.h"

namespace populus::popir {

namespace {

class Constant final : public ConstantOnlyOp {
public:
  explicit Constant(OpSpec spec) : ConstantOnlyOp(std::move(spec)) {
    if (attributes().has("sparse_value") || attributes().has("value_string") ||
        attributes().has("value_strings"))
      failUnsupported("its value is sparse or text, which is not supported");
  }

  std::vector<TensorInfo> infer() const override { return {value().info()}; }
  std::optional<std::vector<HostTensor>> evaluate() const override {
    return std::vector{value()};
  }

private:
  HostTensor value() const {
    const Attributes &a = attributes();
    if (std::shared_ptr<const HostTensor> tensor = a.getTensor("value"))
      return *tensor;
    if (a.has("value_float"))
      return HostTensor::ofFloats({}, {a.getFloat("value_float", 0)});
    if (a.has("value_floats")) {
      std::vector<float> values = a.getFloats("value_floats");
      return HostTensor::ofFloats({std::int64_t(values.size())}, values);
    }
    if (a.has("value_int"))
      return HostTensor::ofInts({a.getInt("value_int", 0)}).reshaped({});
    if (a.has("value_ints"))
      return HostTensor::ofInts(a.getInts("value_ints"));
    failInput("it has no value");
  }
};

const RegisterOp<Constant> registration("Constant",
                                        {1, 9, 11, 12, 13, 19, 21, 23, 24, 25});

} // namespace

} // namespace populus::popir
