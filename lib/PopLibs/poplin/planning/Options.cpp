// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of the option keys.

#include "lib/PopLibs/poplin/planning/Options.h"

#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poputil/OptionParsing.hpp>

#include <limits>
#include <string>
#include <vector>

using poplibs::OptionHandler;
using poplibs::OptionSpec;

namespace poplin {
namespace {

OptionHandler oneOf(unsigned &output, const std::vector<std::string> &names) {
  std::vector<std::pair<std::string, unsigned>> values;
  for (const std::string &name : names)
    values.emplace_back(name, values.size());
  return OptionHandler::createWithEnum(output, values);
}

/// Among the names of passes.
constexpr unsigned InferenceForward = 1, FullyConnectedInferenceForward = 5;

OptionHandler proportion(double &output) {
  return OptionHandler::createWithDouble(output, 0,
                                         std::numeric_limits<double>::max());
}

OptionHandler sumsType(bool &areHalves) {
  return OptionHandler::createWithEnum(
      areHalves, std::vector<std::pair<std::string, bool>>{{"half", true},
                                                           {"float", false}});
}

} // namespace

Options parseMatMulOptions(const poplar::OptionFlags &options,
                           const poplar::Type &resultType) {
  Options result;
  bool flag;
  unsigned pass = 0;
  std::string text;
  const auto boolean = OptionHandler::createWithBool(flag);
  OptionSpec({{"partialsType", sumsType(result.halfSums)},
              {"availableMemoryProportion",
               proportion(result.availableMemoryProportion)},
              {"fullyConnectedPass",
               oneOf(pass, {"NONE", "INFERENCE_FWD", "TRAINING_FWD",
                            "TRAINING_BWD", "TRAINING_WU"})},
              {"inputRHSIsPreArranged", boolean},
              {"use128BitConvUnitLoad", boolean},
              {"enableMultiStageReduce", boolean},
              {"enableFastReduce", boolean},
              {"remapOutputTensor", boolean},
              {"gatherOutput", boolean},
              {"disableSRForAMPVertices", boolean},
              {"planConstraints", OptionHandler::createWithString(text)}})
      .parse(options);
  result.halfSums &= resultType == poplar::HALF;
  result.constantWeights = pass == InferenceForward;
  return result;
}

Options parseConvOptions(const poplar::OptionFlags &options,
                         const poplar::Type &resultType) {
  Options result;
  bool flag;
  unsigned choice, pass = 0;
  std::string text;
  const auto boolean = OptionHandler::createWithBool(flag);
  const auto type = oneOf(choice, {"half", "float"});
  OptionSpec({{"partialsType", sumsType(result.halfSums)},
              {"partialsType.interTile", type},
              {"partialsType.interIPU", type},
              {"availableMemoryProportion",
               proportion(result.availableMemoryProportion)},
              {"pass", oneOf(pass, {"NONE", "INFERENCE_FWD", "TRAINING_FWD",
                                    "TRAINING_BWD", "TRAINING_WU",
                                    "FC_INFERENCE_FWD", "FC_TRAINING_FWD",
                                    "FC_TRAINING_BWD", "FC_TRAINING_WU"})},
              {"use128BitConvUnitLoad", boolean},
              {"enableMultiStageReduce", boolean},
              {"enableFastReduce", boolean},
              {"remapOutputTensor", boolean},
              {"enableConvDithering", boolean},
              {"disableTransformations", boolean},
              {"gatherConvOutput", boolean},
              {"disableSRForAMPVertices", boolean},
              {"enableTileLevelExpandDims", boolean},
              {"insertTransformsCycleCountProgs", boolean},
              {"experimental.convTransformsEstimates", boolean},
              {"experimental.slicVmac16", boolean},
              {"planConstraints", OptionHandler::createWithString(text)},
              {"planConstraintsOutputFilename",
               OptionHandler::createWithString(text)}})
      .parse(options);
  result.halfSums &= resultType == poplar::HALF;
  result.constantWeights =
      pass == InferenceForward || pass == FullyConnectedInferenceForward;
  return result;
}

void matmulValidateOptions(const poplar::OptionFlags &options) {
  parseMatMulOptions(options);
}

void convolutionValidateOptions(const poplar::OptionFlags &options) {
  parseConvOptions(options);
}

} // namespace poplin
