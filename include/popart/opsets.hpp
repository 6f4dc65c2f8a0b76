// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of a Builder as methods: a class for each opset of ONNX, which
// inherits the operators of the previous opset and adds new and changed ones.
// graphcoreopset.hpp has the class for Graphcore's domain. Each method takes
// the operands and then the attributes in ONNX's order, with ONNX's defaults,
// and returns the names of the results. num_outputs is the number of requested
// results. Subgraphs are Builders made by createSubgraphBuilder, complete with
// nodes and results.

#ifndef POPULUS_INCLUDE_POPART_OPSETS_HPP
#define POPULUS_INCLUDE_POPART_OPSETS_HPP

#include <popart/graphcoreopset.hpp>
#include <popart/opsetbase.hpp>

namespace popart {

class AiOnnxOpset6 : public popart_detail::Opset {
protected:
  template <class T> using Optional = popart_detail::Optional<T>;
  using Attributes = popart_detail::Attributes;

public:
  explicit AiOnnxOpset6(Builder &builder, int version = 6)
      : Opset(builder, "", version) {}

  POPART_OPERATOR(abs, Abs)
  POPART_OPERATOR(add, Add)
  POPART_OPERATOR(logical_and, And)
  POPART_OPERATOR(ceil, Ceil)
  POPART_OPERATOR(div, Div)
  POPART_OPERATOR(equal, Equal)
  POPART_OPERATOR(exp, Exp)
  POPART_OPERATOR(floor, Floor)
  POPART_OPERATOR(greater, Greater)
  POPART_OPERATOR(globalaveragepool, GlobalAveragePool)
  POPART_OPERATOR(globalmaxpool, GlobalMaxPool)
  POPART_OPERATOR(identity, Identity)
  POPART_OPERATOR(less, Less)
  POPART_OPERATOR(log, Log)
  POPART_OPERATOR(matmul, MatMul)
  POPART_OPERATOR(max, Max)
  POPART_OPERATOR(mean, Mean)
  POPART_OPERATOR(min, Min)
  POPART_OPERATOR(mul, Mul)
  POPART_OPERATOR(neg, Neg)
  POPART_OPERATOR(logical_not, Not)
  POPART_OPERATOR(logical_or, Or)
  POPART_OPERATOR(prelu, PRelu)
  POPART_OPERATOR(pow, Pow)
  POPART_OPERATOR(reciprocal, Reciprocal)
  POPART_OPERATOR(relu, Relu)
  POPART_OPERATOR(reshape, Reshape)
  POPART_OPERATOR(shape, Shape)
  POPART_OPERATOR(sigmoid, Sigmoid)
  POPART_OPERATOR(size, Size)
  POPART_OPERATOR(softplus, Softplus)
  POPART_OPERATOR(softsign, Softsign)
  POPART_OPERATOR(sqrt, Sqrt)
  POPART_OPERATOR(sub, Sub)
  POPART_OPERATOR(sum, Sum)
  POPART_OPERATOR(tanh, Tanh)
  POPART_OPERATOR(tile, Tile)
  POPART_OPERATOR(logical_xor, Xor)

  TensorId argmax(const TensorIds &args, std::int64_t axis = 0,
                  std::int64_t keepdims = 1, const DebugContext &debug = {}) {
    return one("ArgMax", args, alongAxis(axis, keepdims), debug);
  }
  TensorId argmin(const TensorIds &args, std::int64_t axis = 0,
                  std::int64_t keepdims = 1, const DebugContext &debug = {}) {
    return one("ArgMin", args, alongAxis(axis, keepdims), debug);
  }
  TensorId averagepool(const TensorIds &args, const Ints &kernel_shape,
                       std::int64_t count_include_pad = 0,
                       const Ints &pads = {}, const Ints &strides = {},
                       const DebugContext &debug = {}) {
    return one("AveragePool", args,
               Attributes()
                   .set("kernel_shape", kernel_shape)
                   .set("count_include_pad", count_include_pad)
                   .set("pads", pads)
                   .set("strides", strides),
               debug);
  }
  TensorIds batchnormalization(const TensorIds &args, unsigned num_outputs,
                               float epsilon = 1e-5f, float momentum = 0.9f,
                               const DebugContext &debug = {}) {
    return many("BatchNormalization", args, num_outputs,
                Attributes().set("epsilon", epsilon).set("momentum", momentum),
                debug);
  }
  TensorId cast(const TensorIds &args, const std::string &to,
                const DebugContext &debug = {}) {
    return one("Cast", args, Attributes().set("to", to), debug);
  }
  TensorId clip(const TensorIds &args, float max = 3.402823e+38f,
                float min = -3.402823e+38f, const DebugContext &debug = {}) {
    return one("Clip", args, Attributes().set("max", max).set("min", min),
               debug);
  }
  TensorId concat(const TensorIds &args, std::int64_t axis,
                  const DebugContext &debug = {}) {
    return one("Concat", args, Attributes().set("axis", axis), debug);
  }
  TensorId conv(const TensorIds &args, const Ints &dilations = {},
                std::int64_t group = 1, const Ints &kernel_shape = {},
                const Ints &pads = {}, const Ints &strides = {},
                const DebugContext &debug = {}) {
    return one("Conv", args,
               convolution(dilations, group, kernel_shape, pads, strides),
               debug);
  }
  TensorId convtranspose(const TensorIds &args, const Ints &dilations = {},
                         std::int64_t group = 1, const Ints &kernel_shape = {},
                         const Ints &output_padding = {},
                         const Ints &output_shape = {}, const Ints &pads = {},
                         const Ints &strides = {},
                         const DebugContext &debug = {}) {
    return one("ConvTranspose", args,
               Attributes()
                   .set("dilations", dilations)
                   .set("group", group)
                   .set("kernel_shape", kernel_shape)
                   .set("output_padding", output_padding)
                   .set("output_shape", output_shape)
                   .set("pads", pads)
                   .set("strides", strides),
               debug);
  }
  TensorId depthtospace(const TensorIds &args, std::int64_t blocksize,
                        const DebugContext &debug = {}) {
    return one("DepthToSpace", args, Attributes().set("blocksize", blocksize),
               debug);
  }
  TensorIds dropout(const TensorIds &args, unsigned num_outputs,
                    float ratio = 0.5f, const DebugContext &debug = {}) {
    return many("Dropout", args, num_outputs, Attributes().set("ratio", ratio),
                debug);
  }
  TensorId elu(const TensorIds &args, float alpha = 1.0f,
               const DebugContext &debug = {}) {
    return one("Elu", args, Attributes().set("alpha", alpha), debug);
  }
  TensorId flatten(const TensorIds &args, std::int64_t axis = 1,
                   const DebugContext &debug = {}) {
    return one("Flatten", args, Attributes().set("axis", axis), debug);
  }
  TensorId gather(const TensorIds &args, std::int64_t axis = 0,
                  const DebugContext &debug = {}) {
    return one("Gather", args, Attributes().set("axis", axis), debug);
  }
  TensorId gemm(const TensorIds &args, float alpha = 1.0f, float beta = 1.0f,
                std::int64_t transA = 0, std::int64_t transB = 0,
                const DebugContext &debug = {}) {
    return one("Gemm", args,
               Attributes()
                   .set("alpha", alpha)
                   .set("beta", beta)
                   .set("transA", transA)
                   .set("transB", transB),
               debug);
  }
  TensorId globallppool(const TensorIds &args, std::int64_t p = 2,
                        const DebugContext &debug = {}) {
    return one("GlobalLpPool", args, Attributes().set("p", p), debug);
  }
  TensorIds
  gru(const TensorIds &args, unsigned num_outputs,
      const Floats &activation_alpha = {}, const Floats &activation_beta = {},
      const Strings &activations = {}, const Optional<float> &clip = {},
      const std::string &direction = "forward",
      const Optional<std::int64_t> &hidden_size = {},
      std::int64_t linear_before_reset = 0, const DebugContext &debug = {}) {
    return many("GRU", args, num_outputs,
                Attributes()
                    .set("activation_alpha", activation_alpha)
                    .set("activation_beta", activation_beta)
                    .set("activations", activations)
                    .set("clip", clip)
                    .set("direction", direction)
                    .set("hidden_size", hidden_size)
                    .set("linear_before_reset", linear_before_reset),
                debug);
  }
  TensorId hardsigmoid(const TensorIds &args, float alpha = 0.2f,
                       float beta = 0.5f, const DebugContext &debug = {}) {
    return one("HardSigmoid", args,
               Attributes().set("alpha", alpha).set("beta", beta), debug);
  }
  TensorId hardmax(const TensorIds &args, std::int64_t axis = 1,
                   const DebugContext &debug = {}) {
    return one("Hardmax", args, Attributes().set("axis", axis), debug);
  }
  TensorId instancenormalization(const TensorIds &args, float epsilon = 1e-5f,
                                 const DebugContext &debug = {}) {
    return one("InstanceNormalization", args,
               Attributes().set("epsilon", epsilon), debug);
  }
  TensorId leakyrelu(const TensorIds &args, float alpha = 0.01f,
                     const DebugContext &debug = {}) {
    return one("LeakyRelu", args, Attributes().set("alpha", alpha), debug);
  }
  TensorId logsoftmax(const TensorIds &args, std::int64_t axis = 1,
                      const DebugContext &debug = {}) {
    return one("LogSoftmax", args, Attributes().set("axis", axis), debug);
  }
  TensorId lppool(const TensorIds &args, const Ints &kernel_shape,
                  std::int64_t p = 2, const Ints &pads = {},
                  const Ints &strides = {}, const DebugContext &debug = {}) {
    return one("LpPool", args,
               Attributes()
                   .set("kernel_shape", kernel_shape)
                   .set("p", p)
                   .set("pads", pads)
                   .set("strides", strides),
               debug);
  }
  TensorId lrn(const TensorIds &args, std::int64_t size, float alpha = 1e-4f,
               float beta = 0.75f, float bias = 1.0f,
               const DebugContext &debug = {}) {
    return one("LRN", args,
               Attributes()
                   .set("size", size)
                   .set("alpha", alpha)
                   .set("beta", beta)
                   .set("bias", bias),
               debug);
  }
  TensorIds
  lstm(const TensorIds &args, unsigned num_outputs,
       const Floats &activation_alpha = {}, const Floats &activation_beta = {},
       const Strings &activations = {}, const Optional<float> &clip = {},
       const std::string &direction = "forward",
       const Optional<std::int64_t> &hidden_size = {},
       std::int64_t input_forget = 0, const DebugContext &debug = {}) {
    return many("LSTM", args, num_outputs,
                Attributes()
                    .set("activation_alpha", activation_alpha)
                    .set("activation_beta", activation_beta)
                    .set("activations", activations)
                    .set("clip", clip)
                    .set("direction", direction)
                    .set("hidden_size", hidden_size)
                    .set("input_forget", input_forget),
                debug);
  }
  TensorIds maxpool(const TensorIds &args, unsigned num_outputs,
                    const Ints &kernel_shape, const Ints &pads = {},
                    std::int64_t storage_order = 0, const Ints &strides = {},
                    const DebugContext &debug = {}) {
    return many("MaxPool", args, num_outputs,
                Attributes()
                    .set("kernel_shape", kernel_shape)
                    .set("pads", pads)
                    .set("storage_order", storage_order)
                    .set("strides", strides),
                debug);
  }
  TensorId pad(const TensorIds &args, const Ints &pads,
               const std::string &mode = "constant", float value = 0.0f,
               const DebugContext &debug = {}) {
    return one(
        "Pad", args,
        Attributes().set("pads", pads).set("mode", mode).set("value", value),
        debug);
  }
  TensorId reducel1(const TensorIds &args, const Optional<Ints> &axes = {},
                    std::int64_t keepdims = 1, const DebugContext &debug = {}) {
    return one("ReduceL1", args, reduction(axes, keepdims), debug);
  }
  TensorId reducel2(const TensorIds &args, const Optional<Ints> &axes = {},
                    std::int64_t keepdims = 1, const DebugContext &debug = {}) {
    return one("ReduceL2", args, reduction(axes, keepdims), debug);
  }
  TensorId reducelogsum(const TensorIds &args, const Optional<Ints> &axes = {},
                        std::int64_t keepdims = 1,
                        const DebugContext &debug = {}) {
    return one("ReduceLogSum", args, reduction(axes, keepdims), debug);
  }
  TensorId reducelogsumexp(const TensorIds &args,
                           const Optional<Ints> &axes = {},
                           std::int64_t keepdims = 1,
                           const DebugContext &debug = {}) {
    return one("ReduceLogSumExp", args, reduction(axes, keepdims), debug);
  }
  TensorId reducemax(const TensorIds &args, const Optional<Ints> &axes = {},
                     std::int64_t keepdims = 1,
                     const DebugContext &debug = {}) {
    return one("ReduceMax", args, reduction(axes, keepdims), debug);
  }
  TensorId reducemean(const TensorIds &args, const Optional<Ints> &axes = {},
                      std::int64_t keepdims = 1,
                      const DebugContext &debug = {}) {
    return one("ReduceMean", args, reduction(axes, keepdims), debug);
  }
  TensorId reducemin(const TensorIds &args, const Optional<Ints> &axes = {},
                     std::int64_t keepdims = 1,
                     const DebugContext &debug = {}) {
    return one("ReduceMin", args, reduction(axes, keepdims), debug);
  }
  TensorId reduceprod(const TensorIds &args, const Optional<Ints> &axes = {},
                      std::int64_t keepdims = 1,
                      const DebugContext &debug = {}) {
    return one("ReduceProd", args, reduction(axes, keepdims), debug);
  }
  TensorId reducesum(const TensorIds &args, const Optional<Ints> &axes = {},
                     std::int64_t keepdims = 1,
                     const DebugContext &debug = {}) {
    return one("ReduceSum", args, reduction(axes, keepdims), debug);
  }
  TensorId reducesumsquare(const TensorIds &args,
                           const Optional<Ints> &axes = {},
                           std::int64_t keepdims = 1,
                           const DebugContext &debug = {}) {
    return one("ReduceSumSquare", args, reduction(axes, keepdims), debug);
  }
  TensorIds rnn(const TensorIds &args, unsigned num_outputs,
                const Floats &activation_alpha = {},
                const Floats &activation_beta = {},
                const Strings &activations = {},
                const Optional<float> &clip = {},
                const std::string &direction = "forward",
                const Optional<std::int64_t> &hidden_size = {},
                const DebugContext &debug = {}) {
    return many("RNN", args, num_outputs,
                Attributes()
                    .set("activation_alpha", activation_alpha)
                    .set("activation_beta", activation_beta)
                    .set("activations", activations)
                    .set("clip", clip)
                    .set("direction", direction)
                    .set("hidden_size", hidden_size),
                debug);
  }
  TensorId selu(const TensorIds &args, float alpha = 1.67326319f,
                float gamma = 1.05070102f, const DebugContext &debug = {}) {
    return one("Selu", args,
               Attributes().set("alpha", alpha).set("gamma", gamma), debug);
  }
  TensorId slice(const TensorIds &args, const Ints &ends, const Ints &starts,
                 const Ints &axes = {}, const DebugContext &debug = {}) {
    return one(
        "Slice", args,
        Attributes().set("ends", ends).set("starts", starts).set("axes", axes),
        debug);
  }
  TensorId softmax(const TensorIds &args, std::int64_t axis = 1,
                   const DebugContext &debug = {}) {
    return one("Softmax", args, Attributes().set("axis", axis), debug);
  }
  TensorId spacetodepth(const TensorIds &args, std::int64_t blocksize,
                        const DebugContext &debug = {}) {
    return one("SpaceToDepth", args, Attributes().set("blocksize", blocksize),
               debug);
  }
  TensorIds split(const TensorIds &args, unsigned num_outputs,
                  std::int64_t axis = 0, const Ints &split = {},
                  const DebugContext &debug = {}) {
    return many("Split", args, num_outputs,
                Attributes().set("axis", axis).set("split", split), debug);
  }
  TensorId squeeze(const TensorIds &args, const Ints &axes = {},
                   const DebugContext &debug = {}) {
    return one("Squeeze", args, Attributes().set("axes", axes), debug);
  }
  TensorIds topk(const TensorIds &args, std::int64_t k, std::int64_t axis = -1,
                 const DebugContext &debug = {}) {
    return many("TopK", args, 2, Attributes().set("k", k).set("axis", axis),
                debug);
  }
  TensorId transpose(const TensorIds &args, const Ints &perm = {},
                     const DebugContext &debug = {}) {
    return one("Transpose", args, Attributes().set("perm", perm), debug);
  }
  TensorId unsqueeze(const TensorIds &args, const Ints &axes,
                     const DebugContext &debug = {}) {
    return one("Unsqueeze", args, Attributes().set("axes", axes), debug);
  }
  TensorId constant(const ConstVoidData &value,
                    const DebugContext &debug = {}) {
    return one("Constant", {}, Attributes().set("value", value), debug);
  }
  TensorIds logical_if(const TensorIds &args, unsigned num_outputs,
                       const Builder &else_branch, const Builder &then_branch,
                       const DebugContext &debug = {}) {
    return many("If", args, num_outputs,
                Attributes()
                    .set("else_branch", popart_detail::Subgraph{&else_branch})
                    .set("then_branch", popart_detail::Subgraph{&then_branch}),
                debug);
  }
  /// Takes the number of iterations, the initial condition, and the carried
  /// values.
  TensorIds loop(const TensorIds &args, unsigned num_outputs,
                 const Builder &body, const DebugContext &debug = {}) {
    return many("Loop", args, num_outputs,
                Attributes().set("body", popart_detail::Subgraph{&body}),
                debug);
  }
  TensorId randomnormal(const Ints &shape, std::int64_t dtype = 1,
                        float mean = 0.0f, float scale = 1.0f,
                        const Optional<float> &seed = {},
                        const DebugContext &debug = {}) {
    return one("RandomNormal", {},
               Attributes()
                   .set("shape", shape)
                   .set("dtype", dtype)
                   .set("mean", mean)
                   .set("scale", scale)
                   .set("seed", seed),
               debug);
  }
  TensorId randomnormallike(const TensorIds &args,
                            const Optional<std::int64_t> &dtype = {},
                            float mean = 0.0f, float scale = 1.0f,
                            const Optional<float> &seed = {},
                            const DebugContext &debug = {}) {
    return one("RandomNormalLike", args,
               Attributes()
                   .set("dtype", dtype)
                   .set("mean", mean)
                   .set("scale", scale)
                   .set("seed", seed),
               debug);
  }
  TensorId randomuniform(const Ints &shape, std::int64_t dtype = 1,
                         float high = 1.0f, float low = 0.0f,
                         const Optional<float> &seed = {},
                         const DebugContext &debug = {}) {
    return one("RandomUniform", {},
               Attributes()
                   .set("shape", shape)
                   .set("dtype", dtype)
                   .set("high", high)
                   .set("low", low)
                   .set("seed", seed),
               debug);
  }
  TensorId randomuniformlike(const TensorIds &args,
                             const Optional<std::int64_t> &dtype = {},
                             float high = 1.0f, float low = 0.0f,
                             const Optional<float> &seed = {},
                             const DebugContext &debug = {}) {
    return one("RandomUniformLike", args,
               Attributes()
                   .set("dtype", dtype)
                   .set("high", high)
                   .set("low", low)
                   .set("seed", seed),
               debug);
  }
  TensorId lpnormalization(const TensorIds &args, std::int64_t axis = -1,
                           std::int64_t p = 2, const DebugContext &debug = {}) {
    return one("LpNormalization", args,
               Attributes().set("axis", axis).set("p", p), debug);
  }
  TensorId maxroipool(const TensorIds &args, const Ints &pooled_shape,
                      float spatial_scale = 1.0f,
                      const DebugContext &debug = {}) {
    return one("MaxRoiPool", args,
               Attributes()
                   .set("pooled_shape", pooled_shape)
                   .set("spatial_scale", spatial_scale),
               debug);
  }
  TensorId upsample(const TensorIds &args, float height_scale,
                    float width_scale, const std::string &mode = "nearest",
                    const DebugContext &debug = {}) {
    return one("Upsample", args,
               Attributes()
                   .set("height_scale", height_scale)
                   .set("width_scale", width_scale)
                   .set("mode", mode),
               debug);
  }
};

class AiOnnxOpset7 : public AiOnnxOpset6 {
public:
  explicit AiOnnxOpset7(Builder &builder, int version = 7)
      : AiOnnxOpset6(builder, version) {}

  POPART_OPERATOR(acos, Acos)
  POPART_OPERATOR(asin, Asin)
  POPART_OPERATOR(atan, Atan)
  POPART_OPERATOR(cos, Cos)
  POPART_OPERATOR(sin, Sin)
  POPART_OPERATOR(tan, Tan)

  TensorIds dropout(const TensorIds &args, unsigned num_outputs,
                    float ratio = 0.5f, const DebugContext &debug = {}) {
    return many("Dropout", args, num_outputs, Attributes().set("ratio", ratio),
                debug);
  }
  TensorId upsample(const TensorIds &args, const Floats &scales,
                    const std::string &mode = "nearest",
                    const DebugContext &debug = {}) {
    return one("Upsample", args,
               Attributes().set("scales", scales).set("mode", mode), debug);
  }
  TensorId multinomial(const TensorIds &args, std::int64_t dtype = 6,
                       std::int64_t sample_size = 1,
                       const Optional<float> &seed = {},
                       const DebugContext &debug = {}) {
    return one("Multinomial", args,
               Attributes()
                   .set("dtype", dtype)
                   .set("sample_size", sample_size)
                   .set("seed", seed),
               debug);
  }
};

class AiOnnxOpset8 : public AiOnnxOpset7 {
public:
  explicit AiOnnxOpset8(Builder &builder, int version = 8)
      : AiOnnxOpset7(builder, version) {}

  POPART_OPERATOR(expand, Expand)
  TensorIds scan(const TensorIds &args, unsigned num_outputs,
                 const Builder &body, std::int64_t num_scan_inputs,
                 const Ints &directions = {}, const DebugContext &debug = {}) {
    return many("Scan", args, num_outputs,
                Attributes()
                    .set("body", popart_detail::Subgraph{&body})
                    .set("num_scan_inputs", num_scan_inputs)
                    .set("directions", directions),
                debug);
  }
};

class AiOnnxOpset9 : public AiOnnxOpset8 {
public:
  explicit AiOnnxOpset9(Builder &builder, int version = 9)
      : AiOnnxOpset8(builder, version) {}

  POPART_OPERATOR(acosh, Acosh)
  POPART_OPERATOR(asinh, Asinh)
  POPART_OPERATOR(atanh, Atanh)
  POPART_OPERATOR(cosh, Cosh)
  POPART_OPERATOR(erf, Erf)
  POPART_OPERATOR(isnan, IsNaN)
  POPART_OPERATOR(nonzero, NonZero)
  POPART_OPERATOR(sign, Sign)
  POPART_OPERATOR(sinh, Sinh)
  POPART_OPERATOR(where, Where)

  TensorId constantofshape(const TensorIds &args, const ConstVoidData &value,
                           const DebugContext &debug = {}) {
    return one("ConstantOfShape", args, Attributes().set("value", value),
               debug);
  }
  TensorId compress(const TensorIds &args,
                    const Optional<std::int64_t> &axis = {},
                    const DebugContext &debug = {}) {
    return one("Compress", args, Attributes().set("axis", axis), debug);
  }
  TensorId onehot(const TensorIds &args, std::int64_t axis = -1,
                  const DebugContext &debug = {}) {
    return one("OneHot", args, Attributes().set("axis", axis), debug);
  }
  TensorId scatter(const TensorIds &args, std::int64_t axis = 0,
                   const DebugContext &debug = {}) {
    return one("Scatter", args, Attributes().set("axis", axis), debug);
  }
  TensorId shrink(const TensorIds &args, float bias = 0.0f, float lambd = 0.5f,
                  const DebugContext &debug = {}) {
    return one("Shrink", args,
               Attributes().set("bias", bias).set("lambd", lambd), debug);
  }
  TensorId upsample(const TensorIds &args, const std::string &mode = "nearest",
                    const DebugContext &debug = {}) {
    return one("Upsample", args, Attributes().set("mode", mode), debug);
  }
  /// Returns the final carried values, then the scan outputs.
  TensorIds scan(const TensorIds &args, unsigned num_outputs,
                 const Builder &body, std::int64_t num_scan_inputs,
                 const Ints &scan_input_axes = {},
                 const Ints &scan_input_directions = {},
                 const Ints &scan_output_axes = {},
                 const Ints &scan_output_directions = {},
                 const DebugContext &debug = {}) {
    return many("Scan", args, num_outputs,
                Attributes()
                    .set("body", popart_detail::Subgraph{&body})
                    .set("num_scan_inputs", num_scan_inputs)
                    .set("scan_input_axes", scan_input_axes)
                    .set("scan_input_directions", scan_input_directions)
                    .set("scan_output_axes", scan_output_axes)
                    .set("scan_output_directions", scan_output_directions),
                debug);
  }
  TensorId eyelike(const TensorIds &args,
                   const Optional<std::int64_t> &dtype = {}, std::int64_t k = 0,
                   const DebugContext &debug = {}) {
    return one("EyeLike", args, Attributes().set("dtype", dtype).set("k", k),
               debug);
  }
  TensorId meanvariancenormalization(const TensorIds &args,
                                     const Ints &axes = {0, 2, 3},
                                     const DebugContext &debug = {}) {
    return one("MeanVarianceNormalization", args,
               Attributes().set("axes", axes), debug);
  }
  TensorId maxunpool(const TensorIds &args, const Ints &kernel_shape,
                     const Ints &pads = {}, const Ints &strides = {},
                     const DebugContext &debug = {}) {
    return one("MaxUnpool", args,
               Attributes()
                   .set("kernel_shape", kernel_shape)
                   .set("pads", pads)
                   .set("strides", strides),
               debug);
  }
  TensorId
  tfidfvectorizer(const TensorIds &args, std::int64_t max_gram_length,
                  std::int64_t max_skip_count, std::int64_t min_gram_length,
                  const std::string &mode, const Ints &ngram_counts,
                  const Ints &ngram_indexes, const Ints &pool_int64s = {},
                  const Strings &pool_strings = {}, const Floats &weights = {},
                  const DebugContext &debug = {}) {
    return one("TfIdfVectorizer", args,
               Attributes()
                   .set("max_gram_length", max_gram_length)
                   .set("max_skip_count", max_skip_count)
                   .set("min_gram_length", min_gram_length)
                   .set("mode", mode)
                   .set("ngram_counts", ngram_counts)
                   .set("ngram_indexes", ngram_indexes)
                   .set("pool_int64s", pool_int64s)
                   .set("pool_strings", pool_strings)
                   .set("weights", weights),
               debug);
  }
};

class AiOnnxOpset10 : public AiOnnxOpset9 {
public:
  explicit AiOnnxOpset10(Builder &builder, int version = 10)
      : AiOnnxOpset9(builder, version) {}

  TensorId averagepool(const TensorIds &args, const Ints &kernel_shape,
                       std::int64_t ceil_mode = 0,
                       std::int64_t count_include_pad = 0,
                       const Ints &pads = {}, const Ints &strides = {},
                       const DebugContext &debug = {}) {
    return one("AveragePool", args,
               Attributes()
                   .set("kernel_shape", kernel_shape)
                   .set("ceil_mode", ceil_mode)
                   .set("count_include_pad", count_include_pad)
                   .set("pads", pads)
                   .set("strides", strides),
               debug);
  }
  TensorId isinf(const TensorIds &args, std::int64_t detect_negative = 1,
                 std::int64_t detect_positive = 1,
                 const DebugContext &debug = {}) {
    return one("IsInf", args,
               Attributes()
                   .set("detect_negative", detect_negative)
                   .set("detect_positive", detect_positive),
               debug);
  }
  TensorIds maxpool(const TensorIds &args, unsigned num_outputs,
                    const Ints &kernel_shape, std::int64_t ceil_mode = 0,
                    const Ints &dilations = {}, const Ints &pads = {},
                    std::int64_t storage_order = 0, const Ints &strides = {},
                    const DebugContext &debug = {}) {
    return many("MaxPool", args, num_outputs,
                Attributes()
                    .set("kernel_shape", kernel_shape)
                    .set("ceil_mode", ceil_mode)
                    .set("dilations", dilations)
                    .set("pads", pads)
                    .set("storage_order", storage_order)
                    .set("strides", strides),
                debug);
  }
  TensorId mod(const TensorIds &args, std::int64_t fmod = 0,
               const DebugContext &debug = {}) {
    return one("Mod", args, Attributes().set("fmod", fmod), debug);
  }
  TensorId resize(const TensorIds &args, const std::string &mode = "nearest",
                  const DebugContext &debug = {}) {
    return one("Resize", args, Attributes().set("mode", mode), debug);
  }
  TensorId reversesequence(const TensorIds &args, std::int64_t batch_axis = 1,
                           std::int64_t time_axis = 0,
                           const DebugContext &debug = {}) {
    return one(
        "ReverseSequence", args,
        Attributes().set("batch_axis", batch_axis).set("time_axis", time_axis),
        debug);
  }
  /// Takes data, starts and ends, and optionally axes and steps.
  TensorId slice(const TensorIds &args, const DebugContext &debug = {}) {
    return one("Slice", args, {}, debug);
  }
  TensorId thresholdedrelu(const TensorIds &args, float alpha = 1.0f,
                           const DebugContext &debug = {}) {
    return one("ThresholdedRelu", args, Attributes().set("alpha", alpha),
               debug);
  }
  TensorIds topk(const TensorIds &args, std::int64_t axis = -1,
                 const DebugContext &debug = {}) {
    return many("TopK", args, 2, Attributes().set("axis", axis), debug);
  }
  TensorId quantizelinear(const TensorIds &args,
                          const DebugContext &debug = {}) {
    return one("QuantizeLinear", args, {}, debug);
  }
  TensorId dequantizelinear(const TensorIds &args,
                            const DebugContext &debug = {}) {
    return one("DequantizeLinear", args, {}, debug);
  }
  TensorId roialign(const TensorIds &args, const std::string &mode = "avg",
                    std::int64_t output_height = 1,
                    std::int64_t output_width = 1,
                    std::int64_t sampling_ratio = 0, float spatial_scale = 1.0f,
                    const DebugContext &debug = {}) {
    return one("RoiAlign", args,
               Attributes()
                   .set("mode", mode)
                   .set("output_height", output_height)
                   .set("output_width", output_width)
                   .set("sampling_ratio", sampling_ratio)
                   .set("spatial_scale", spatial_scale),
               debug);
  }
  POPART_OPERATOR(matmulinteger, MatMulInteger)
  POPART_OPERATOR(qlinearmatmul, QLinearMatMul)

  TensorId convinteger(const TensorIds &args, const Ints &dilations = {},
                       std::int64_t group = 1, const Ints &kernel_shape = {},
                       const Ints &pads = {}, const Ints &strides = {},
                       const DebugContext &debug = {}) {
    return one("ConvInteger", args,
               convolution(dilations, group, kernel_shape, pads, strides),
               debug);
  }
  TensorId qlinearconv(const TensorIds &args, const Ints &dilations = {},
                       std::int64_t group = 1, const Ints &kernel_shape = {},
                       const Ints &pads = {}, const Ints &strides = {},
                       const DebugContext &debug = {}) {
    return one("QLinearConv", args,
               convolution(dilations, group, kernel_shape, pads, strides),
               debug);
  }
  /// Takes boxes and scores, and optionally limits on the results per class, on
  /// the overlap, and on the score.
  TensorId nonmaxsuppression(const TensorIds &args,
                             std::int64_t center_point_box = 0,
                             const DebugContext &debug = {}) {
    return one("NonMaxSuppression", args,
               Attributes().set("center_point_box", center_point_box), debug);
  }
  TensorId stringnormalizer(const TensorIds &args,
                            const std::string &case_change_action = "NONE",
                            std::int64_t is_case_sensitive = 0,
                            const Optional<std::string> &locale = {},
                            const Strings &stopwords = {},
                            const DebugContext &debug = {}) {
    return one("StringNormalizer", args,
               Attributes()
                   .set("case_change_action", case_change_action)
                   .set("is_case_sensitive", is_case_sensitive)
                   .set("locale", locale)
                   .set("stopwords", stopwords),
               debug);
  }
};

class AiOnnxOpset11 : public AiOnnxOpset10 {
public:
  explicit AiOnnxOpset11(Builder &builder, int version = 11)
      : AiOnnxOpset10(builder, version) {}

  POPART_OPERATOR(range, Range)
  POPART_OPERATOR(round, Round)
  POPART_OPERATOR(scatternd, ScatterND)
  POPART_OPERATOR(gathernd, GatherND)

  /// Takes data, and optionally the minimum and maximum.
  TensorId clip(const TensorIds &args, const DebugContext &debug = {}) {
    return one("Clip", args, {}, debug);
  }
  TensorId bitshift(const TensorIds &args, const std::string &direction,
                    const DebugContext &debug = {}) {
    return one("BitShift", args, Attributes().set("direction", direction),
               debug);
  }
  TensorId cumsum(const TensorIds &args, std::int64_t exclusive = 0,
                  std::int64_t reverse = 0, const DebugContext &debug = {}) {
    return one("CumSum", args,
               Attributes().set("exclusive", exclusive).set("reverse", reverse),
               debug);
  }
  TensorId depthtospace(const TensorIds &args, std::int64_t blocksize,
                        const std::string &mode = "DCR",
                        const DebugContext &debug = {}) {
    return one("DepthToSpace", args,
               Attributes().set("blocksize", blocksize).set("mode", mode),
               debug);
  }
  TensorId gatherelements(const TensorIds &args, std::int64_t axis = 0,
                          const DebugContext &debug = {}) {
    return one("GatherElements", args, Attributes().set("axis", axis), debug);
  }
  TensorId pad(const TensorIds &args, const std::string &mode = "constant",
               const DebugContext &debug = {}) {
    return one("Pad", args, Attributes().set("mode", mode), debug);
  }
  TensorId
  resize(const TensorIds &args,
         const std::string &coordinate_transformation_mode = "half_pixel",
         float cubic_coeff_a = -0.75f, std::int64_t exclude_outside = 0,
         float extrapolation_value = 0.0f, const std::string &mode = "nearest",
         const std::string &nearest_mode = "round_prefer_floor",
         const DebugContext &debug = {}) {
    return one("Resize", args,
               Attributes()
                   .set("coordinate_transformation_mode",
                        coordinate_transformation_mode)
                   .set("cubic_coeff_a", cubic_coeff_a)
                   .set("exclude_outside", exclude_outside)
                   .set("extrapolation_value", extrapolation_value)
                   .set("mode", mode)
                   .set("nearest_mode", nearest_mode),
               debug);
  }
  TensorId scatterelements(const TensorIds &args, std::int64_t axis = 0,
                           const DebugContext &debug = {}) {
    return one("ScatterElements", args, Attributes().set("axis", axis), debug);
  }
  TensorIds topk(const TensorIds &args, std::int64_t axis = -1,
                 std::int64_t largest = 1, std::int64_t sorted = 1,
                 const DebugContext &debug = {}) {
    return many("TopK", args, 2,
                Attributes()
                    .set("axis", axis)
                    .set("largest", largest)
                    .set("sorted", sorted),
                debug);
  }
  /// Returns the quantized tensor, its scale and its zero point.
  TensorIds dynamicquantizelinear(const TensorIds &args,
                                  const DebugContext &debug = {}) {
    return many("DynamicQuantizeLinear", args, 3, {}, debug);
  }
  POPART_OPERATOR(det, Det)
  POPART_OPERATOR(sequenceat, SequenceAt)
  POPART_OPERATOR(sequenceconstruct, SequenceConstruct)
  POPART_OPERATOR(sequenceerase, SequenceErase)
  POPART_OPERATOR(sequenceinsert, SequenceInsert)
  POPART_OPERATOR(sequencelength, SequenceLength)

  TensorId sequenceempty(const Optional<std::int64_t> &dtype = {},
                         const DebugContext &debug = {}) {
    return one("SequenceEmpty", {}, Attributes().set("dtype", dtype), debug);
  }
  TensorId concatfromsequence(const TensorIds &args, std::int64_t axis,
                              std::int64_t new_axis = 0,
                              const DebugContext &debug = {}) {
    return one("ConcatFromSequence", args,
               Attributes().set("axis", axis).set("new_axis", new_axis), debug);
  }
  TensorId splittosequence(const TensorIds &args, std::int64_t axis = 0,
                           std::int64_t keepdims = 1,
                           const DebugContext &debug = {}) {
    return one("SplitToSequence", args, alongAxis(axis, keepdims), debug);
  }
  /// Returns the distinct values, the index of the first occurrence of each,
  /// the index of each element's value among them, and the number of
  /// occurrences.
  TensorIds unique(const TensorIds &args, unsigned num_outputs,
                   const Optional<std::int64_t> &axis = {},
                   std::int64_t sorted = 1, const DebugContext &debug = {}) {
    return many("Unique", args, num_outputs,
                Attributes().set("axis", axis).set("sorted", sorted), debug);
  }
};

#undef POPART_OPERATOR

} // namespace popart

#endif
