// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of domain com.microsoft that ONNX Runtime's quantizer emits beyond
// ONNX: operators on 8-bit integers (QLinearAdd and similar, QGemm), and
// MatMulNBits with weights of 2, 4 or 8 bits. Elementwise operators and pools
// dequantize, compute on real numbers, and round once, as ONNX Runtime does.
// Products are exact integer sums.

#include "lib/PopART/Import/Decompositions/IntegerProducts.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

const char *const Microsoft = "com.microsoft";

/// Dequantizes a tensor; scale and zero point are the next inputs.
Value &real(Expansion &e, std::size_t index) {
  std::vector<Value *> inputs = {&e.input(index), &e.input(index + 1)};
  if (e.hasInput(index + 2))
    inputs.push_back(&e.input(index + 2));
  return e.op("DequantizeLinear", inputs);
}

/// Quantizes a result with input `scale` and the zero point behind it; without
/// a zero point, the result has the type of the data.
std::vector<Value *> quantized(Expansion &e, Value &x, std::size_t scale,
                               DataType type) {
  Value &zero = e.hasInput(scale + 1) ? e.input(scale + 1) : e.scalar(type, 0);
  return {&e.op("QuantizeLinear", {&x, &e.input(scale), &zero})};
}

std::vector<Value *> binary(Expansion &e) {
  enum { A = 0, B = 3, C = 6 };
  const std::string type = e.spec().id.type.substr(std::size("QLinear") - 1);
  return quantized(e, e.op(type, {&real(e, A), &real(e, B)}), C, e.type(A));
}

std::vector<Value *> unary(Expansion &e, Value &result) {
  enum { X = 0, Y = 3 };
  return quantized(e, result, Y, e.type(X));
}

std::vector<Value *> sigmoid(Expansion &e) {
  return unary(e, e.op("Sigmoid", {&real(e, 0)}));
}

std::vector<Value *> leakyRelu(Expansion &e) {
  const float alpha = e.attributes().getFloat("alpha", 0.01F);
  return unary(e, e.op("LeakyRelu", {&real(e, 0)}, {{"alpha", alpha}}));
}

std::vector<Value *> softmax(Expansion &e) {
  Value &x = real(e, 0);
  const std::int64_t axis =
      e.normalAxis(e.attributes().getInt("axis", -1), x.info.rank());
  // Before opset 13 all dimensions from the axis on were flattened.
  if (e.attributes().getInt("opset", 13) >= 13 || axis == x.info.rank() - 1)
    return unary(e, e.op("Softmax", {&x}, {{"axis", axis}}));
  const Shape shape = x.info.shape;
  const std::int64_t rows = numElements({shape.begin(), shape.begin() + axis});
  Value &flat =
      e.op("Softmax", {&e.reshape(x, {rows, -1})}, {{"axis", std::int64_t(1)}});
  return unary(e, e.reshape(flat, shape));
}

void refuseChannelsLast(const Expansion &e) {
  if (e.attributes().getInt("channels_last", 0) != 0)
    e.failUnsupported("channels_last is not supported; quantize the model "
                      "before ONNX Runtime changes its layout");
}

std::vector<Value *> globalAveragePool(Expansion &e) {
  refuseChannelsLast(e);
  return unary(e, e.op("GlobalAveragePool", {&real(e, 0)}));
}

std::vector<Value *> averagePool(Expansion &e) {
  refuseChannelsLast(e);
  Attributes attributes = e.attributes();
  attributes.remove("channels_last");
  return unary(e, e.opLike("AveragePool", {&real(e, 0)}, attributes));
}

std::vector<Value *> concat(Expansion &e) {
  enum { Y = 0, First = 2 };
  if (e.numInputs() <= First || (e.numInputs() - First) % 3 != 0)
    e.failInput("each of its parts needs a scale and a zero point");
  std::vector<Value *> parts;
  for (std::size_t i = First; i < e.numInputs(); i += 3)
    parts.push_back(&real(e, i));
  const std::int64_t axis = e.normalAxis(e.attributes().getInt("axis", 0),
                                         parts.front()->info.rank());
  return quantized(e, e.concat(parts, axis), Y, e.type(First));
}

std::vector<Value *> where(Expansion &e) {
  enum { Condition = 0, X = 1, Y = 4, Z = 7 };
  return quantized(e, e.select(e.input(Condition), real(e, X), real(e, Y)), Z,
                   e.type(X));
}

Value &turned(Expansion &e, std::size_t index, const char *attribute) {
  Value &matrix = e.input(index);
  if (matrix.info.rank() != 2)
    e.failInput(
        fmt::format("its input {} is no matrix", toString(matrix.info.shape)));
  return e.attributes().getInt(attribute, 0) != 0 ? e.transpose(matrix, {1, 0})
                                                  : matrix;
}

/// The integers of the summand have the scale of the products.
std::vector<Value *> gemm(Expansion &e) {
  enum { A, AScale, AZero, B, BScale, BZero, C, YScale, YZero };
  Value *sums = &integerMatMul(
      e, withoutZeroPoint(e, turned(e, A, "transA"), forColumns(e, AZero)),
      withoutZeroPoint(e, turned(e, B, "transB"), forColumns(e, BZero)));
  if (e.hasInput(C))
    sums = &e.add(*sums, e.input(C));
  Value &scale = e.mul(e.mul(*forColumns(e, AScale), *forColumns(e, BScale)),
                       e.attributes().getFloat("alpha", 1));
  if (!e.hasInput(YScale))
    return {&e.mul(e.cast(*sums, scale.info.type), scale)};
  return {&requantized(e, *sums, e.div(scale, *forColumns(e, YScale)), YZero)};
}

/// QuantizeLinear and DequantizeLinear; this domain had 16 and 4 bits before
/// ONNX.
std::vector<Value *> sameOfOnnx(Expansion &e) {
  std::vector<Value *> inputs;
  for (std::size_t i = 0; i != e.numInputs(); ++i)
    if (e.hasInput(i))
      inputs.push_back(&e.input(i));
  return {&e.sameAttributes(e.spec().id.type, inputs)};
}

/// The weights of a MatMulNBits. Each of the N columns has K numbers in blocks;
/// a block has a scale and perhaps a zero point. Numbers are packed in bytes,
/// lowest bits first. Each block, and each column's zero points, start at a
/// byte.
class PackedWeights {
public:
  explicit PackedWeights(const Expansion &e)
      : e(e), depth(positive("K")), columns(positive("N")),
        blockSize(positive("block_size")),
        bits(e.attributes().getInt("bits", 4)),
        blocks((depth + blockSize - 1) / blockSize) {
    if (bits != 2 && bits != 4 && bits != 8)
      e.failUnsupported(fmt::format("weights of {} bits are not supported; 2, "
                                    "4 and 8 are",
                                    bits));
    if (e.hasInput(GroupIndex))
      e.failUnsupported("its g_idx is not supported; quantize the model "
                        "without reordered groups");
  }

  /// The dequantized weights [K, N].
  HostTensor dequantized() const {
    const HostTensor &packed = checked(Packed, blocks * bytesFor(blockSize));
    const std::vector<double> scales = checked(Scales, blocks).toDoubles();
    const std::vector<double> zeros = zeroPoints();
    std::vector<float> values(depth * columns);
    for (std::int64_t column = 0; column != columns; ++column)
      for (std::int64_t i = 0; i != depth; ++i) {
        const std::int64_t row = column * blocks + i / blockSize;
        const double number =
            numberAt(packed, row * bytesFor(blockSize), i % blockSize);
        values[i * columns + column] =
            static_cast<float>((number - zeros[row]) * scales[row]);
      }
    return HostTensor::ofFloats({depth, columns}, values)
        .convertedTo(e.type(0));
  }

private:
  enum Input : std::size_t { Data, Packed, Scales, ZeroPoints, GroupIndex };

  std::int64_t positive(const char *attribute) const {
    constexpr std::int64_t Most = std::int64_t(1) << 31;
    const std::int64_t value = e.attributes().getInt(attribute, 0);
    if (value < 1 || value > Most)
      e.failInput(fmt::format("its {} {} is not possible", attribute, value));
    return value;
  }

  std::int64_t bytesFor(std::int64_t count) const {
    return (count * bits + 7) / 8;
  }

  /// An input, checked to have `perColumn` elements for each column.
  const HostTensor &checked(Input index, std::int64_t perColumn) const {
    const HostTensor &value = e.constantInput(
        index, index == Packed ? "weight" : "quantization parameter");
    if (value.numElements() != columns * perColumn)
      e.failInput(fmt::format("its input {} has {} elements instead of {}",
                              static_cast<std::size_t>(index),
                              value.numElements(), columns * perColumn));
    return value;
  }

  double numberAt(const HostTensor &packed, std::int64_t begin,
                  std::int64_t index) const {
    const auto byte =
        std::to_integer<unsigned>(packed.bytes()[begin + index * bits / 8]);
    const auto mask = (1U << bits) - 1;
    return (byte >> (index * bits % 8)) & mask;
  }

  /// The zero point of each block.
  std::vector<double> zeroPoints() const {
    if (!e.hasInput(ZeroPoints))
      return std::vector<double>(columns * blocks,
                                 static_cast<double>(1U << (bits - 1)));
    if (e.type(ZeroPoints) != DataType::UInt8)
      return checked(ZeroPoints, blocks).toDoubles();
    const HostTensor &packed = checked(ZeroPoints, bytesFor(blocks));
    std::vector<double> result;
    for (std::int64_t column = 0; column != columns; ++column)
      for (std::int64_t block = 0; block != blocks; ++block)
        result.push_back(numberAt(packed, column * bytesFor(blocks), block));
    return result;
  }

  const Expansion &e;
  std::int64_t depth, columns, blockSize, bits, blocks;
};

std::vector<Value *> matMulNBits(Expansion &e) {
  constexpr std::size_t Bias = 5;
  Value &product =
      e.matMul(e.input(0), e.constant(PackedWeights(e).dequantized()));
  return {e.hasInput(Bias) ? &e.add(product, e.input(Bias)) : &product};
}

const RegisterDecomposition decompositions[] = {
    {"QLinearAdd", {1}, binary, Microsoft},
    {"QLinearMul", {1}, binary, Microsoft},
    {"QLinearSigmoid", {1}, sigmoid, Microsoft},
    {"QLinearLeakyRelu", {1}, leakyRelu, Microsoft},
    {"QLinearSoftmax", {1}, softmax, Microsoft},
    {"QLinearGlobalAveragePool", {1}, globalAveragePool, Microsoft},
    {"QLinearAveragePool", {1}, averagePool, Microsoft},
    {"QLinearConcat", {1}, concat, Microsoft},
    {"QLinearWhere", {1}, where, Microsoft},
    {"QGemm", {1}, gemm, Microsoft},
    {"QuantizeLinear", {1}, sameOfOnnx, Microsoft},
    {"DequantizeLinear", {1}, sameOfOnnx, Microsoft},
    {"MatMulNBits", {1}, matMulNBits, Microsoft}};

} // namespace

} // namespace populus::popir
