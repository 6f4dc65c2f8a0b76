// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a session compiles and runs. Options about pipelines and replicas that
// ask for what is not there are an error when the session is made; those about
// how the original lays out and schedules its work have no effect, which the
// log says (docs/popart.md lists both).

#ifndef POPULUS_INCLUDE_POPART_SESSIONOPTIONS_HPP
#define POPULUS_INCLUDE_POPART_SESSIONOPTIONS_HPP

#include <popart/names.hpp>
#include <popart/reductiontype.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace popart {

enum class VirtualGraphMode { Off = 0, Manual, Auto, ExecutionPhases };
enum class RecomputationType {
  None = 0,
  Standard,
  NormOnly,
  Pipeline,
  RecomputeAll
};
enum class MeanReductionStrategy { Running = 0, Post };
enum class SyntheticDataMode { Off = 0, Zeros, RandomNormal, RandomUniform };
enum class Instrumentation { Outer = 0, Inner };

struct SessionOptions {
  /// Where drawings go.
  std::string logDir;
  /// Stages that are drawn: "FWD0", "FWD1", "PREALIAS", "FINAL", "ALL".
  std::set<std::string> dotChecks;
  /// The first and the last operator of drawings, and whether they have names.
  int firstDotOp = 0;
  int finalDotOp = 10000;
  bool dotOpNames = false;

  /// Options of poplar::Engine.
  std::map<std::string, std::string> engineOptions;
  /// Options of poplin for convolutions and for matrix products.
  std::map<std::string, std::string> convolutionOptions;
  std::map<std::string, std::string> matmulOptions;
  /// Options of the summary report.
  std::map<std::string, std::string> reportOptions;
  /// The type in which matrix products add up, "half" or "float".
  std::string partialsTypeMatMuls;

  /// Parts of the model that repeat become functions, where that saves more
  /// than copies of arguments and results cost. The threshold is the code that
  /// such a part has at least, in products of matrices.
  bool enableOutlining = true;
  bool enableOutliningCopyCostPruning = true;
  float outlineThreshold = 1.0f;

  /// Weights do not change. With false, resetHostWeights can give others.
  bool constantWeights = true;
  /// With false prepareDevice only transforms the model.
  bool compileEngine = true;
  /// Keep executables in the folder cachePath and take them from there; the
  /// environment's POPART_CACHE_DIR does the same for all sessions.
  bool enableEngineCaching = false;
  std::string cachePath = "session_cache";
  /// Zeros or random numbers instead of what the StepIO gives; results are not
  /// returned.
  SyntheticDataMode syntheticDataMode = SyntheticDataMode::Off;
  bool instrumentWithHardwareCycleCounter = false;

  /// Add up the gradients of so many micro-batches, which together are a batch,
  /// before the weights change: by their sum or by their mean.
  bool enableGradientAccumulation = false;
  std::int64_t accumulationFactor = 1;
  ReductionType accumulationAndReplicationReductionType = ReductionType::Sum;

  // Refused where they ask for what is not there.
  bool enablePipelining = false;
  bool enableReplicatedGraphs = false;
  std::int64_t replicatedGraphCount = 1;
  // Without effect.
  MeanReductionStrategy meanAccumulationAndReplicationReductionStrategy =
      MeanReductionStrategy::Post;
  VirtualGraphMode virtualGraphMode = VirtualGraphMode::Off;
  RecomputationType autoRecomputation = RecomputationType::None;
  bool separateCallOpPdfs = true;
  bool enableStochasticRounding = false;
  bool enableFloatingPointChecks = false;
  bool enableNonStableSoftmax = false;
  bool enableFullyConnectedPass = true;
  bool enablePrefetchDatastreams = true;
  bool rearrangeAnchorsOnHost = true;
  bool explicitRecomputation = false;
  bool enableExplicitMainLoops = false;
  bool useHostCopyOps = false;
  bool aliasZeroCopy = false;
  bool opxAliasChecking = false;
  bool opxModifyChecking = false;
  bool strictOpVersions = true;
  bool enableSupportedDataTypeCasting = true;
};

} // namespace popart

#endif
