// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DynamicQuantizeLinear, and ONNX Runtime's products of activations that are
// quantised when the model runs: DynamicQuantizeMatMul, MatMulIntegerToFloat
// and DynamicQuantizeLSTM.
//
// Numbers of 8 bits are exact as floats, and so are their products' sums up to
// 2^24. Inside of a DynamicQuantizeLSTM only the weights are rounded:
// activations keep their precision there.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

namespace populus::popir {

namespace {

constexpr const char *Microsoft = "com.microsoft";

/// The type of all arithmetic; --precision fp16 does not change it.
constexpr DataType Number = DataType::Double;

/// An operand without its zero point, as numbers; that of a matrix may be one
/// for each column.
Value &centred(Expansion &e, std::size_t index, std::size_t zero) {
  Value &numbers = e.cast(e.input(index), Number);
  return e.hasInput(zero) ? e.sub(numbers, e.cast(e.input(zero), Number))
                          : numbers;
}

Value &withBias(Expansion &e, Value &product, std::size_t bias, DataType type) {
  Value &result = e.hasInput(bias)
                      ? e.add(product, e.cast(e.input(bias), Number))
                      : product;
  return e.cast(result, type);
}

/// A mapping of numbers to 0 … 255: the scale, and the number that 0 becomes.
struct Scaling {
  Value *scale, *zero;
};

/// The scaling of DynamicQuantizeLinear: 0 is exact. If all numbers are 0, the
/// scale is 1, as in ONNX Runtime; ONNX's text would divide by 0.
Scaling scalingOf(Expansion &e, Value &x) {
  const DataType type = x.info.type;
  Value &zero = e.scalar(type, 0);
  Value &most = e.op("Max", {&e.reduceAll("ReduceMax", x), &zero});
  Value &least = e.op("Min", {&e.reduceAll("ReduceMin", x), &zero});
  Value &range = e.sub(most, least);
  Value &scale = e.select(e.op("Equal", {&range, &zero}), e.scalar(type, 1),
                          e.div(range, e.scalar(type, 255)));
  Value &point =
      e.op("Clip", {&e.neg(e.div(least, scale)), &zero, &e.scalar(type, 255)});
  return {&scale, &e.op("Round", {&point})};
}

std::vector<Value *> dynamicQuantizeLinear(Expansion &e) {
  Value &x = e.input(0);
  const Scaling scaling = scalingOf(e, x);
  Value &scale = e.reshape(*scaling.scale, {});
  Value &zero = e.cast(e.reshape(*scaling.zero, {}), DataType::UInt8);
  return {&e.op("QuantizeLinear", {&x, &scale, &zero}), &scale, &zero};
}

struct Quantized {
  Value *numbers, *scale; // without the zero point
};

/// Quantizes like DynamicQuantizeLinear.
Quantized quantized(Expansion &e, Value &given) {
  Value &x = e.cast(given, Number);
  const Scaling scaling = scalingOf(e, x);
  Value &rounded = e.op("Round", {&e.div(x, *scaling.scale)});
  Value &bounded = e.op("Clip", {&e.add(rounded, *scaling.zero),
                                 &e.scalar(Number, 0), &e.scalar(Number, 255)});
  return {&e.sub(bounded, *scaling.zero), scaling.scale};
}

std::vector<Value *> dynamicMatMul(Expansion &e) {
  enum Input : std::size_t { A, B, Scale, Zero, Bias };
  const Quantized a = quantized(e, e.input(A));
  Value &product = e.matMul(*a.numbers, centred(e, B, Zero));
  Value &scale = e.mul(e.cast(e.input(Scale), Number), *a.scale);
  return {&withBias(e, e.mul(product, scale), Bias, e.type(A))};
}

std::vector<Value *> matMulToFloat(Expansion &e) {
  enum Input : std::size_t { A, B, ScaleA, ScaleB, ZeroA, ZeroB, Bias };
  Value &product = e.matMul(centred(e, A, ZeroA), centred(e, B, ZeroB));
  Value &scale =
      e.mul(e.cast(e.input(ScaleA), Number), e.cast(e.input(ScaleB), Number));
  return {&withBias(e, e.mul(product, scale), Bias, e.type(ScaleA))};
}

/// [directions, rows, columns] dequantised, as [directions, columns, rows]. A
/// direction has one scale, or one for each column.
Value &weights(Expansion &e, std::size_t index, std::size_t scale,
               std::size_t zero) {
  const Shape shape = e.shape(index);
  if (shape.size() != 3)
    e.failInput(fmt::format("its input {}, {}, is not [directions, rows, "
                            "columns]",
                            index, toString(shape)));
  auto beside = [&](Value &v) -> Value & {
    const std::int64_t columns = v.info.numElements() / shape[0];
    if (columns != 1 && columns != shape[2])
      e.failInput(fmt::format("quantization parameters {} do not go with "
                              "weights {}",
                              toString(v.info.shape), toString(shape)));
    return e.reshape(e.cast(v, DataType::Float), {shape[0], 1, columns});
  };
  Value *numbers = &e.cast(e.input(index), DataType::Float);
  if (e.hasInput(zero))
    numbers = &e.sub(*numbers, beside(e.input(zero)));
  return e.transpose(e.mul(*numbers, beside(e.input(scale))), {0, 2, 1});
}

std::vector<Value *> dynamicLstm(Expansion &e) {
  enum Input : std::size_t {
    X,
    W,
    R,
    Peepholes = 7,
    ScaleW,
    ZeroW,
    ScaleR,
    ZeroR
  };
  std::vector<Value *> operands = {&e.input(X), &weights(e, W, ScaleW, ZeroW),
                                   &weights(e, R, ScaleR, ZeroR)};
  for (std::size_t i = R + 1; i <= Peepholes; ++i)
    operands.push_back(e.hasInput(i) ? &e.input(i) : nullptr);
  while (!operands.back())
    operands.pop_back();
  return e.sameAttributes("LSTM", operands, 3);
}

const RegisterDecomposition decompositions[] = {
    {"DynamicQuantizeLinear", {11}, dynamicQuantizeLinear},
    {"DynamicQuantizeMatMul", {1}, dynamicMatMul, Microsoft},
    {"MatMulIntegerToFloat", {1}, matMulToFloat, Microsoft},
    {"DynamicQuantizeLSTM", {1}, dynamicLstm, Microsoft}};

} // namespace

} // namespace populus::popir
