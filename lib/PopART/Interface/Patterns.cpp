// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of patterns: our own, and those of PopART's guide.

#include "lib/PopART/Interface/SessionProgram.h"

#include <popart/error.hpp>
#include <popart/logging.hpp>
#include <popart/patterns/patterns.hpp>

#include <algorithm>

namespace popart {

namespace {

// Patterns of the guide without a counterpart here, mostly rewrites of
// gradients. Patterns that PopART needs for lowering are on by default; if a
// program disables them, ModelRules.cpp reports errors.
const char *const Mandatory[] = {"AllReduceToIdentity",
                                 "Atan2Arg0GradOp",
                                 "Atan2Arg1GradOp",
                                 "ConvDataGrad",
                                 "ConvFlipWeightsGradOp",
                                 "ConvTranspose",
                                 "CosGradOp",
                                 "CoshOp",
                                 "DivArg0GradOp",
                                 "DivArg1GradOp",
                                 "ExpGradOp",
                                 "Expm1GradOp",
                                 "FmodArg0GradOp",
                                 "Log1pGradOp",
                                 "LoopScanOut",
                                 "MatMulLhsGradOp",
                                 "MatMulOp",
                                 "MatMulRhsGradOp",
                                 "MulArgGradOp",
                                 "PowArg0GradOp",
                                 "PowArg1GradOp",
                                 "RandomNormalLikeOpPattern",
                                 "RandomUniformLikeOpPattern",
                                 "ReciprocalGradOp",
                                 "ScanToLoop",
                                 "SqrtGradOp",
                                 "SubtractArg1GradOp",
                                 "ZerosLikeOpPattern"};
const char *const Usual[] = {"AbsGradOp",
                             "ContiguateIpuCopyIndicesPattern",
                             "ConvFlipWeightsDoubleFlip",
                             "DecomposeBinaryConstScalar",
                             "ExpandCast",
                             "GemmDecomposition",
                             "InitAccumulate",
                             "LambSerialisedWeight",
                             "LogGradOp",
                             "LogSoftmaxOp",
                             "NegativeOneScale",
                             "NlllWithSoftMaxGradDirect",
                             "NlllWithSoftmaxGradDirect",
                             "OpToIdentity",
                             "PackedDataBlock",
                             "PadSum",
                             "PreUniRepl",
                             "RemoveUnnecessaryLossGradCast",
                             "SinGradOp",
                             "SoftMaxGradDirect",
                             "SoftmaxGradDirect",
                             "SplitConvBias",
                             "SplitGradOpToConcat",
                             "SplitOp",
                             "SumToAdd",
                             "TanToSinOverCos",
                             "TransposeToIdentityOrReshapePattern",
                             "UpdateInplacePrioritiesForIpu",
                             "UpsampleToResize",
                             "ViewSimplifyPattern"};
const char *const Unusual[] = {"LSTMOp", "Slice2SliceSubsample", "SplitGather",
                               "TiedGather", "TiedGatherAccumulate"};

// Passes that are no patterns in PopART, so they are on at every level.
const char *const Transforms[] = {"Prune", "SubgraphOutline"};

} // namespace

Patterns::Patterns(PatternsLevel level) {
  for (const char *name : Mandatory)
    settings[name] = level >= PatternsLevel::Minimal;
  for (const char *name : Usual)
    settings[name] = level >= PatternsLevel::Default;
  for (const char *name : Unusual)
    settings[name] = level == PatternsLevel::All;
  for (const std::string &name : session::patternNames())
    settings[name] = level >= PatternsLevel::Default;
  for (const char *name : Transforms)
    settings[name] = true;
  for (const populus::popir::CustomPattern &pattern :
       populus::popir::customPatterns())
    settings[pattern.name] =
        level != PatternsLevel::NoPatterns &&
        (level == PatternsLevel::All || pattern.isMandatory ||
         (pattern.isEnabled && level >= PatternsLevel::Default));
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
  if (!popart::session::setLogLevel(module, level))
    throw error("the log has no module '{}'", module);
}

void configure(const std::map<std::string, std::string> &levels) {
  for (const auto &entry : levels)
    setLogLevel(entry.first, entry.second);
}

void write(Level level, const std::string &text) {
  write("python", level, text);
}

/// Modules that programs log to and the log does not tell apart.
static const char *moduleOf(const std::string &name) {
  static const std::map<std::string, const char *> modules = {
      {"autodiff", "transform"}, {"graph", "ir"},     {"liveness", "devicex"},
      {"memory", "devicex"},     {"onnx", "builder"}, {"patterns", "pattern"},
      {"tensor", "ir"}};
  const auto found = modules.find(name);
  return found == modules.end() ? nullptr : found->second;
}

void write(const char *module, Level level, const std::string &text) {
  if (const char *known = moduleOf(module))
    module = known;
  if (!popart::session::logOfProgram(module, static_cast<int>(level), text))
    throw error("the log has no module '{}'", module);
}

} // namespace logging

void logger::setLevel(const std::string &module, const std::string &level) {
  logging::setLogLevel(module == "popart" ? "all" : module, level);
}

} // namespace popart
