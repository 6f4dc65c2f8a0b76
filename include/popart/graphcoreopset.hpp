// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of Graphcore's domain that a Builder adds (opsets.hpp).

#ifndef POPULUS_INCLUDE_POPART_GRAPHCOREOPSET_HPP
#define POPULUS_INCLUDE_POPART_GRAPHCOREOPSET_HPP

#include <popart/commgroup.hpp>
#include <popart/datatype.hpp>
#include <popart/error.hpp>
#include <popart/opsetbase.hpp>
#include <popart/reductiontype.hpp>

namespace popart {

/// Combines elements that have the same index. None keeps the last one.
enum class ScatterReduction { Sum = 0, Max, Min, Mul, None };
enum class InitType { NoInit = 0, Zero };
enum class TensorRemapType { FwdBwdReverse = 0, FwdBwd, Fwd };

class AiGraphcoreOpset1 : public popart_detail::Opset {
  template <class T> using Optional = popart_detail::Optional<T>;
  using Attributes = popart_detail::Attributes;

public:
  explicit AiGraphcoreOpset1(Builder &builder)
      : Opset(builder, "ai.graphcore", 1) {}

  POPART_OPERATOR(atan2, Atan2)
  POPART_OPERATOR(bitwiseand, BitwiseAnd)
  POPART_OPERATOR(bitwisenot, BitwiseNot)
  POPART_OPERATOR(bitwiseor, BitwiseOr)
  POPART_OPERATOR(bitwisexnor, BitwiseXnor)
  POPART_OPERATOR(bitwisexor, BitwiseXor)
  POPART_OPERATOR(detach, Detach)
  POPART_OPERATOR(expm1, Expm1)
  POPART_OPERATOR(fmod, Fmod)
  POPART_OPERATOR(gelu, Gelu)
  POPART_OPERATOR(geluerf, GeluErf)
  POPART_OPERATOR(log1p, Log1p)
  POPART_OPERATOR(nearbyint, NearbyInt)
  POPART_OPERATOR(nop, Nop)
  POPART_OPERATOR(remainder, Remainder)
  POPART_OPERATOR(round, Round)
  POPART_OPERATOR(square, Square)
  POPART_OPERATOR(swish, Swish)

  TensorId depthtospace(const TensorIds &args, std::int64_t blocksize,
                        const std::string &mode = "DCR",
                        const DebugContext &debug = {}) {
    return one("DepthToSpace", args,
               Attributes().set("blocksize", blocksize).set("mode", mode),
               debug);
  }
  TensorIds groupnormalization(const TensorIds &args, std::int64_t num_groups,
                               float epsilon = 1e-5f,
                               const DebugContext &debug = {}) {
    return many(
        "GroupNormalization", args, 3,
        Attributes().set("num_groups", num_groups).set("epsilon", epsilon),
        debug);
  }
  /// Prints the input in each batch and returns it. The result must be used.
  /// The parameters after the title have no effect on the format of numbers.
  TensorId printtensor(
      const TensorIds &args, std::int64_t print_gradient = 1,
      const std::string &title = {}, std::int64_t summariseThreshold = 1000,
      std::int64_t edgeItems = 3, std::int64_t maxLineWidth = 75,
      std::int64_t digits = 8, std::int64_t floatFormat = 0,
      const std::string &separator = " ", const std::string &openBracket = "[",
      const std::string &closeBracket = "]", const DebugContext &debug = {}) {
    return one("PrintTensor", args,
               Attributes()
                   .set("print_gradient", print_gradient)
                   .set("title", title)
                   .set("summariseThreshold", summariseThreshold)
                   .set("edgeItems", edgeItems)
                   .set("maxLineWidth", maxLineWidth)
                   .set("digits", digits)
                   .set("floatFormat", floatFormat)
                   .set("separator", separator)
                   .set("openBracket", openBracket)
                   .set("closeBracket", closeBracket),
               debug);
  }
  /// Output and cell state.
  TensorIds lstm(const TensorIds &args, std::int64_t outputFullSequence = 1,
                 const DebugContext &debug = {}) {
    return many("LSTM", args, 2,
                Attributes().set("output_full_sequence", outputFullSequence),
                debug);
  }
  TensorId dynamicslice(const TensorIds &args, const Ints &axes,
                        const Ints &sizes, std::int64_t noOverlap = 0,
                        const DebugContext &debug = {}) {
    return one("DynamicSlice", args, slices(axes, sizes, noOverlap), debug);
  }
  TensorId dynamicupdate(const TensorIds &args, const Ints &axes,
                         const Ints &sizes, std::int64_t noOverlap = 0,
                         const DebugContext &debug = {}) {
    return one("DynamicUpdate", args, slices(axes, sizes, noOverlap), debug);
  }
  TensorId dynamicadd(const TensorIds &args, const Ints &axes,
                      const Ints &sizes, const DebugContext &debug = {}) {
    return one("DynamicAdd", args, slices(axes, sizes, 0), debug);
  }
  TensorId dynamiczero(const TensorIds &args, const Ints &axes,
                       const Ints &sizes, const DebugContext &debug = {}) {
    return one("DynamicZero", args, slices(axes, sizes, 0), debug);
  }
  /// The medians, and their places in what is reduced.
  TensorIds reducemedian(const TensorIds &args, const Optional<Ints> &axes = {},
                         std::int64_t keepdims = 1,
                         const DebugContext &debug = {}) {
    return many("ReduceMedian", args, 2, reduction(axes, keepdims), debug);
  }
  TensorId reverse(const TensorIds &args, const Ints &dimensions,
                   const DebugContext &debug = {}) {
    return one("Reverse", args, Attributes().set("dimensions", dimensions),
               debug);
  }
  TensorId scale(const TensorIds &args, float scale,
                 const DebugContext &debug = {}) {
    return one("Scale", args, Attributes().set("scale", scale), debug);
  }
  TensorId scaledadd(const TensorIds &args, float scale0 = 1.0f,
                     float scale1 = 1.0f, const DebugContext &debug = {}) {
    return one("ScaledAdd", args,
               Attributes().set("scale0", scale0).set("scale1", scale1), debug);
  }
  TensorIds sort(const TensorIds &args, std::int64_t axis = -1,
                 std::int64_t descending = 0, std::int64_t stable = 0,
                 const DebugContext &debug = {}) {
    return many("Sort", args, 2,
                Attributes()
                    .set("axis", axis)
                    .set("descending", descending)
                    .set("stable", stable),
                debug);
  }
  TensorId subsample(const TensorIds &args, const Ints &strides,
                     const DebugContext &debug = {}) {
    return one("Subsample", args, Attributes().set("strides", strides), debug);
  }

  // Losses (docs/operators.md lists their operands).
  TensorId identityloss(const TensorIds &args,
                        ReductionType reduction = ReductionType::Mean,
                        const DebugContext &debug = {}) {
    return one("IdentityLoss", args, reduced(reduction), debug);
  }
  TensorId l1loss(const TensorIds &args, float lambda,
                  ReductionType reduction = ReductionType::Mean,
                  const DebugContext &debug = {}) {
    return one("L1", args, reduced(reduction).set("lambda", lambda), debug);
  }
  /// Probabilities and labels.
  TensorId nllloss(const TensorIds &args,
                   ReductionType reduction = ReductionType::Mean,
                   const Optional<int> &ignoreIndex = {},
                   bool inputIsLogProbability = false,
                   const DebugContext &debug = {}) {
    return one("Nll", args,
               reduced(reduction)
                   .set("ignoreIndex", ignoreIndex)
                   .set("inputIsLogProbability", inputIsLogProbability),
               debug);
  }
  /// Log probabilities [T, N, C], targets [N, S], lengths of both [N].
  TensorId ctcloss(const TensorIds &args,
                   ReductionType reduction = ReductionType::Mean,
                   unsigned blank = 0,
                   const std::string &outDataType = "UNDEFINED",
                   bool zeroInfinity = false, const DebugContext &debug = {}) {
    return one("Ctc", args,
               reduced(reduction)
                   .set("blank", static_cast<std::int64_t>(blank))
                   .set("outDataType", outDataType)
                   .set("zeroInfinity", zeroInfinity),
               debug);
  }

  /// Runs a subgraph on the operands, which are its inputs in order.
  TensorIds call(const TensorIds &args, unsigned num_outputs,
                 const Builder &callee, const DebugContext &debug = {}) {
    return many("Call", args, num_outputs,
                Attributes().set("callee", popart_detail::Subgraph{&callee}),
                debug);
  }
  /// Ends the run with an error if the operand is not 0, or always if there is
  /// no operand.
  void abort(const TensorIds &args, const DebugContext &debug = {}) {
    many("Abort", args, 0, {}, debug);
  }

  TensorId addbias(const TensorIds &args, const DebugContext &debug = {}) {
    return one("AddBias", args, {}, debug);
  }
  TensorIds batchnormalization(const TensorIds &args, unsigned num_outputs,
                               float epsilon = 1e-5f, float momentum = 0.9f,
                               const DebugContext &debug = {}) {
    return many("BatchNormalization", args, num_outputs,
                Attributes().set("epsilon", epsilon).set("momentum", momentum),
                debug);
  }
  TensorId bucketize(const TensorIds &args, std::int64_t right = 0,
                     const DebugContext &debug = {}) {
    return one("Bucketize", args, Attributes().set("right", right), debug);
  }
  TensorId groupedgather(const TensorIds &args, std::int64_t axis = 0,
                         std::int64_t group_size = 1,
                         const DebugContext &debug = {}) {
    return one("GroupedGather", args,
               Attributes().set("axis", axis).set("group_size", group_size),
               debug);
  }
  TensorId groupedscatterreduce(
      const TensorIds &args, std::int64_t axis_size, std::int64_t axis = -1,
      ScatterReduction reduction = ScatterReduction::Sum,
      std::int64_t group_size = 1, std::int64_t enable_index_broadcast = 1,
      const DebugContext &debug = {}) {
    return one("GroupedScatterReduce", args,
               scatter(axis_size, axis, reduction, enable_index_broadcast)
                   .set("group_size", group_size),
               debug);
  }
  TensorId incrementmod(const TensorIds &args, float increment, float modulus,
                        const DebugContext &debug = {}) {
    return one("IncrementMod", args,
               Attributes().set("increment", increment).set("modulus", modulus),
               debug);
  }
  TensorId init(const Ints &shape, DataType data_type,
                InitType init_type = InitType::Zero,
                const DebugContext &debug = {}) {
    return one("Init", {},
               Attributes()
                   .set("shape", shape)
                   .set("data_type", static_cast<std::int64_t>(data_type))
                   .set("init_type", static_cast<std::int64_t>(init_type)),
               debug);
  }
  /// For each convolution its data, its weights and maybe a bias; dilations and
  /// what follows have a list for each, or none. What follows partialsTypes has
  /// no effect.
  TensorIds multiconv(const std::vector<TensorIds> &args,
                      const std::vector<Ints> &dilations = {},
                      const std::vector<Ints> &inDilations = {},
                      const std::vector<Ints> &pads = {},
                      const std::vector<Ints> &outPads = {},
                      const std::vector<Ints> &strides = {},
                      const Floats &availableMemoryProportions = {},
                      const Strings &partialsTypes = {},
                      const Optional<std::string> & /*planType*/ = {},
                      const Optional<std::int64_t> & /*perConvReservedTiles*/
                      = {},
                      const Optional<float> & /*cycleBackOff*/ = {},
                      const Ints & /*enableConvDithering*/ = {},
                      const DebugContext &debug = {}) {
    std::vector<TensorIds> products;
    for (const TensorIds &conv : args) {
      if (conv.size() != 2 && conv.size() != 3)
        throw error("multiconv: a convolution has data, weights and maybe a "
                    "bias, not {} tensors",
                    conv.size());
      products.push_back({conv[0], conv[1]});
    }
    TensorIds results =
        many("MultiConv", joined(products), static_cast<unsigned>(args.size()),
             Attributes()
                 .set("dilations", joined(dilations))
                 .set("inDilations", joined(inDilations))
                 .set("pads", joined(pads))
                 .set("outPads", joined(outPads))
                 .set("strides", joined(strides))
                 .set("availableMemoryProportions", availableMemoryProportions)
                 .set("partialsTypes", partialsTypes),
             debug);
    for (std::size_t i = 0; i != args.size(); ++i)
      if (args[i].size() == 3)
        results[i] = addbias({results[i], args[i][2]}, debug);
    return results;
  }
  /// The image, offsets and scales of its channels.
  TensorId normalize_image(const TensorIds &args, float scale = 1.0f,
                           const DebugContext &debug = {}) {
    return one("NormalizeImage", args, Attributes().set("scale", scale), debug);
  }
  /// Writes the second operand to the weight given as the first.
  TensorId copyvarupdate(const TensorIds &args,
                         const DebugContext &debug = {}) {
    return one("CopyVarUpdate", args, {}, debug);
  }
  /// Combines the values of all replicas of a group.
  TensorId replicatedallreduce(
      const TensorIds &args,
      CollectiveOperator collectiveOperator = CollectiveOperator::Add,
      const CommGroup &commGroup = {}, const DebugContext &debug = {}) {
    return one("ReplicatedAllReduce", args,
               collective(collectiveOperator, commGroup), debug);
  }
  /// Combines the values of a group, and returns each replica's part: one
  /// dimension, padded with zeros to parts of one size.
  TensorId replicatedreducescatter(
      const TensorIds &args,
      CollectiveOperator collectiveOperator = CollectiveOperator::Add,
      const CommGroup &commGroup = {}, const DebugContext &debug = {}) {
    return one("ReplicatedReduceScatter", args,
               collective(collectiveOperator, commGroup), debug);
  }
  /// Concatenates the values of all replicas of a group along the first
  /// dimension.
  TensorId replicatedallgather(const TensorIds &args,
                               const CommGroup &commGroup = {},
                               const DebugContext &debug = {}) {
    return one("ReplicatedAllGather", args,
               collective(CollectiveOperator::Add, commGroup), debug);
  }
  TensorId reshape(const TensorId &arg, const Ints &shape,
                   const DebugContext &debug = {}) {
    return one("Reshape", {arg}, Attributes().set("shape", shape), debug);
  }
  TensorId scatterreduce(const TensorIds &args, std::int64_t axis_size,
                         std::int64_t axis = -1,
                         ScatterReduction reduction = ScatterReduction::Sum,
                         std::int64_t enable_index_broadcast = 1,
                         const DebugContext &debug = {}) {
    return one("ScatterReduce", args,
               scatter(axis_size, axis, reduction, enable_index_broadcast),
               debug);
  }
  /// Takes log probabilities [T, N, C] and lengths [N]. Returns negative log
  /// probabilities [N, top_paths] of the best label sequences, their lengths
  /// [N, top_paths], and their labels [N, top_paths, T], padded with blanks.
  TensorIds ctcbeamsearchdecoder(const TensorIds &args, unsigned blank = 0,
                                 unsigned beam_width = 100,
                                 unsigned top_paths = 1,
                                 const DebugContext &debug = {}) {
    return many("CtcBeamSearchDecoder", args, 3,
                Attributes()
                    .set("blank", static_cast<std::int64_t>(blank))
                    .set("beam_width", static_cast<std::int64_t>(beam_width))
                    .set("top_paths", static_cast<std::int64_t>(top_paths)),
                debug);
  }
  /// Takes coordinates [E, D] in [0, 1], kernel sizes [D] and flags for open
  /// splines [D]. Returns the values of the B-splines, [E, (degree + 1)^D], and
  /// their indices.
  TensorIds splinebasis(const TensorIds &args, std::int64_t degree = 1,
                        const DebugContext &debug = {}) {
    return many("SplineBasis", args, 2, Attributes().set("degree", degree),
                debug);
  }
  /// Takes features [E, I], weights [K, I, O] and the results of splinebasis.
  /// Returns [E, O].
  TensorId splineweighting(const TensorIds &args,
                           const DebugContext &debug = {}) {
    return one("SplineWeighting", args, Attributes(), debug);
  }
  /// Source, target, lengths, offsets in the source and in the target.
  TensorId sequenceslice(const TensorIds &args, std::int64_t zeroUnused = 0,
                         const DebugContext &debug = {}) {
    return one("SequenceSlice", args,
               Attributes().set("zeroUnused", zeroUnused), debug);
  }
  TensorId shapeddropout(const TensorIds &args, const Ints &shape,
                         float ratio = 0.5f, const DebugContext &debug = {}) {
    return one("ShapedDropout", args,
               Attributes().set("shape", shape).set("ratio", ratio), debug);
  }
  TensorId slice(const TensorIds &args, const Ints &ends, const Ints &starts,
                 const Ints &axes = {}, const DebugContext &debug = {}) {
    return one(
        "Slice", args,
        Attributes().set("ends", ends).set("starts", starts).set("axes", axes),
        debug);
  }
  TensorId tensorremap(const TensorIds &args, TensorRemapType remap_type,
                       const DebugContext &debug = {}) {
    return one(
        "TensorRemap", args,
        Attributes().set("remap_type", static_cast<std::int64_t>(remap_type)),
        debug);
  }

private:
  /// One group of all replicas needs no word.
  static Attributes collective(CollectiveOperator collectiveOperator,
                               const CommGroup &group) {
    Attributes attributes;
    attributes.set("__collectiveOperator",
                   static_cast<std::int64_t>(collectiveOperator));
    if (group != CommGroup())
      attributes.set("__comm_group_type", static_cast<std::int64_t>(group.type))
          .set("__comm_group_size", std::int64_t(group.replicaGroupSize));
    return attributes;
  }
  static Attributes reduced(ReductionType reduction) {
    static const char *const names[] = {"Mean", "Sum", "NoReduction"};
    return Attributes().set("reduction",
                            std::string(names[static_cast<int>(reduction)]));
  }
  static Attributes scatter(std::int64_t axis_size, std::int64_t axis,
                            ScatterReduction reduction,
                            std::int64_t enable_index_broadcast) {
    static const char *const names[] = {"Sum", "Max", "Min", "Mul",
                                        "NoReduction"};
    return Attributes()
        .set("axis_size", axis_size)
        .set("axis", axis)
        .set("reduction", std::string(names[static_cast<int>(reduction)]))
        .set("enable_index_broadcast", enable_index_broadcast);
  }
  template <class T>
  static std::vector<T> joined(const std::vector<std::vector<T>> &lists) {
    std::vector<T> result;
    for (const std::vector<T> &list : lists)
      result.insert(result.end(), list.begin(), list.end());
    return result;
  }
  static Attributes slices(const Ints &axes, const Ints &sizes,
                           std::int64_t noOverlap) {
    return Attributes()
        .set("axes", axes)
        .set("sizes", sizes)
        .set("noOverlap", noOverlap);
  }
};

} // namespace popart

#endif
