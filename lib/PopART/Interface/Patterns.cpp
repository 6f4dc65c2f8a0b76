// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pattern names there are: our own, and those of PopART's guide.

#include "lib/PopART/Interface/SessionProgram.h"

#include <popart/error.hpp>
#include <popart/logging.hpp>
#include <popart/patterns/patterns.hpp>

#include <algorithm>

namespace popart {

namespace {

// Of the guide, without a counterpart here: mostly rewrites of gradients.
const char *const NamesOfTheGuide[] = {"AbsGradOp",
                                       "AllReduceToIdentity",
                                       "Atan2Arg0GradOp",
                                       "Atan2Arg1GradOp",
                                       "ContiguateIpuCopyIndicesPattern",
                                       "ConvDataGrad",
                                       "ConvFlipWeightsDoubleFlip",
                                       "ConvFlipWeightsGradOp",
                                       "ConvTranspose",
                                       "CosGradOp",
                                       "CoshOp",
                                       "DecomposeBinaryConstScalar",
                                       "DivArg0GradOp",
                                       "DivArg1GradOp",
                                       "ExpGradOp",
                                       "ExpandCast",
                                       "Expm1GradOp",
                                       "FmodArg0GradOp",
                                       "GemmDecomposition",
                                       "InitAccumulate",
                                       "LSTMOp",
                                       "LambSerialisedWeight",
                                       "Log1pGradOp",
                                       "LogGradOp",
                                       "LogSoftmaxOp",
                                       "LoopScanOut",
                                       "MatMulLhsGradOp",
                                       "MatMulOp",
                                       "MatMulRhsGradOp",
                                       "MulArgGradOp",
                                       "NegativeOneScale",
                                       "NlllWithSoftMaxGradDirect",
                                       "NlllWithSoftmaxGradDirect",
                                       "OpToIdentity",
                                       "PackedDataBlock",
                                       "PadSum",
                                       "PowArg0GradOp",
                                       "PowArg1GradOp",
                                       "PreUniRepl",
                                       "RandomNormalLikeOpPattern",
                                       "RandomUniformLikeOpPattern",
                                       "ReciprocalGradOp",
                                       "RemoveUnnecessaryLossGradCast",
                                       "ScanToLoop",
                                       "SinGradOp",
                                       "Slice2SliceSubsample",
                                       "SoftMaxGradDirect",
                                       "SoftmaxGradDirect",
                                       "SplitConvBias",
                                       "SplitGather",
                                       "SplitGradOpToConcat",
                                       "SplitOp",
                                       "SqrtGradOp",
                                       "SubtractArg1GradOp",
                                       "SumToAdd",
                                       "TanToSinOverCos",
                                       "TiedGather",
                                       "TiedGatherAccumulate",
                                       "TransposeToIdentityOrReshapePattern",
                                       "UpdateInplacePrioritiesForIpu",
                                       "UpsampleToResize",
                                       "ViewSimplifyPattern",
                                       "ZerosLikeOpPattern"};

} // namespace

Patterns::Patterns(PatternsLevel level) {
  bool isOn = level == PatternsLevel::Default || level == PatternsLevel::All;
  for (const char *name : NamesOfTheGuide)
    settings[name] = isOn;
  for (const std::string &name : session::patternNames())
    settings[name] = isOn;
  for (const populus::popir::CustomPattern &pattern :
       populus::popir::customPatterns())
    settings[pattern.name] =
        level != PatternsLevel::NoPatterns &&
        (level == PatternsLevel::All || pattern.isMandatory ||
         (pattern.isEnabled && isOn));
}

Patterns::Patterns(const std::vector<std::string> &names)
    : Patterns(PatternsLevel::NoPatterns) {
  for (const std::string &name : names)
    enablePattern(name, true);
}

bool Patterns::isPatternEnabled(const std::string &name) const {
  auto found = settings.find(name);
  if (found == settings.end())
    throw error("Unknown pattern '{}'", name);
  return found->second;
}

Patterns &Patterns::enablePattern(const std::string &name, bool enable) {
  auto found = settings.find(name);
  if (found == settings.end())
    throw error("Unknown pattern '{}'{}", name,
                name == "Inplace" ? "; it is spelled InPlace" : "");
  found->second = enable;
  return *this;
}

std::ostream &operator<<(std::ostream &out, const Patterns &patterns) {
  for (const auto &entry : patterns.getSettings())
    if (entry.second)
      out << entry.first << "\n";
  return out;
}

namespace logging {

void setLogLevel(const std::string &module, const std::string &level) {
  if (!session::setLogLevel(module, level))
    throw error("the log has no module '{}'", module);
}

void configure(const std::map<std::string, std::string> &levels) {
  for (const auto &entry : levels)
    setLogLevel(entry.first, entry.second);
}

void write(Level level, const std::string &text) {
  session::logOfProgram(static_cast<int>(level), text);
}

} // namespace logging

void logger::setLevel(const std::string &module, const std::string &level) {
  logging::setLogLevel(module == "popart" ? "all" : module, level);
}

} // namespace popart
