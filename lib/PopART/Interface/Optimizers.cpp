// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The optimizers of the interface: their names and numbers, checked.

#include "lib/PopART/Interface/Optimizers.h"

#include "lib/PopART/Support/OnnxTypes.h"

#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/error.hpp>
#include <popart/sgd.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace popart {

namespace {

constexpr const char *LossScaling = "lossScaling";

/// "defaultLearningRate" for "learningRate"; nesterov has no prefix.
std::string givenName(const std::string &name) {
  if (name == "nesterov")
    return name;
  std::string result = "default" + name;
  result[7] = static_cast<char>(std::toupper(result[7]));
  return result;
}

void checkValue(const std::string &className, const std::string &name,
                const OptimizerValue &value) {
  const bool isPositive = name == "eps" || name == "velocityScaling";
  if (value.val() < 0 || (isPositive && value.val() == 0))
    throw error("{} {} ({}) in {}, bailing as this might be a user error.",
                value.val() < 0 ? "Negative" : "Non-positive",
                populus::popir::wordsOf(name), value.val(), className);
  if (name == "learningRate" && value.val() == 0 && value.isConst())
    throw error("Constant, zero learning rate in {}, bailing as this might be "
                "a user error.",
                className);
}

std::string list(const std::vector<std::string> &names) {
  return fmt::format("( {} )", fmt::join(names, ", "));
}

} // namespace

Optimizer::Optimizer(OptimizerType kind, const std::string &name,
                     const std::map<std::string, float> &defaults,
                     const Values &given,
                     const std::vector<ClipNormSettings> &clipNormSettings)
    : kind(kind), className(name), scaling(1.0f, true),
      clips(clipNormSettings) {
  std::map<std::string, std::string> known;
  for (const auto &[key, value] : defaults) {
    everywhere[key] = OptimizerValue(value, true);
    known[givenName(key)] = key;
  }
  std::vector<std::string> allowed = {LossScaling};
  for (const auto &[key, value] : known)
    allowed.push_back(key);
  for (const auto &[key, value] : given) {
    if (key == LossScaling)
      scaling = value;
    else if (auto found = known.find(key); found != known.end())
      everywhere[found->second] = value;
    else
      throw error("Invalid {} key, {}, the allowed keys are {}", name, key,
                  list(allowed));
  }
  if (scaling.val() == 0)
    throw error("Loss scaling cannot be 0");
  for (const auto &[key, value] : everywhere)
    checkValue(name, key, value);
}

Optimizer::~Optimizer() = default;

void Optimizer::insertSpecific(const TensorId &weight, const Values &values) {
  std::map<std::string, OptimizerValue> own = everywhere;
  for (const auto &[key, value] : values) {
    if (!own.count(key)) {
      std::vector<std::string> allowed;
      for (const auto &[name, number] : everywhere)
        allowed.push_back(name);
      throw error("Invalid key {} in {}::insertSpecific. Permitted keys are {}",
                  key, className, list(allowed));
    }
    own[key] = value;
  }
  for (const auto &[key, value] : own)
    checkValue(className, key, value);
  specifics[weight] = std::move(own);
}

bool Optimizer::validReplacement(const Optimizer &other) const {
  if (type_s() != other.type_s())
    throw optimizer_replacement_error("{} cannot be replaced by {}", type_s(),
                                      other.type_s());
  scaling.validReplacement(other.scaling);
  for (const auto &[name, value] : everywhere)
    valuesOf(name).validReplacement(other.valuesOf(name));
  return true;
}

OptimizerValueMap Optimizer::valuesOf(const std::string &name) const {
  auto found = everywhere.find(name);
  if (found == everywhere.end())
    throw error("{} has no '{}'", className, name);
  OptimizerValueMap map(found->second);
  for (const auto &[weight, values] : specifics)
    map.insertSpecific(weight, values.at(name));
  return map;
}

// ---- The families -----------------------------------------------------------

namespace {

std::map<std::string, float> defaultsOf(populus::popir::Optimizer::Kind kind) {
  std::map<std::string, float> defaults;
  for (const auto &[name, value] : populus::popir::defaultValues(kind))
    defaults[name] = static_cast<float>(value.value);
  return defaults;
}

std::pair<float, bool> pairOf(const OptimizerValue &value) {
  return {value.val(), value.isConst()};
}

} // namespace

SGD::SGD(const Values &values,
         const std::vector<ClipNormSettings> &clipNormSettings,
         SGDAccumulatorAndMomentum accumulatorAndMomentum, DataType accumType,
         DataType accl1Type, const DebugContext &)
    : Optimizer(OptimizerType::SGD, "SGD",
                defaultsOf(populus::popir::Optimizer::Sgd), values,
                clipNormSettings),
      accumulation(accumulatorAndMomentum), accumType(accumType),
      accl1Type(accl1Type) {
  if (nesterov().getDefault().val() != 0 && dampenings().getDefault().val() > 0)
    throw error("Nesterov momentum in SGD needs a dampening of 0");
}

SGD::SGD(OptimizerValue defaultLearningRate, OptimizerValue defaultWeightDecay,
         OptimizerValue defaultMomentum, OptimizerValue defaultDampening,
         OptimizerValue defaultVelocityScaling, OptimizerValue lossScaling,
         const std::vector<ClipNormSettings> &clipNormSettings,
         SGDAccumulatorAndMomentum accumulatorAndMomentum, DataType accumType,
         DataType accl1Type, const DebugContext &debugContext)
    : SGD({{"defaultLearningRate", pairOf(defaultLearningRate)},
           {"defaultWeightDecay", pairOf(defaultWeightDecay)},
           {"defaultMomentum", pairOf(defaultMomentum)},
           {"defaultDampening", pairOf(defaultDampening)},
           {"defaultVelocityScaling", pairOf(defaultVelocityScaling)},
           {"lossScaling", pairOf(lossScaling)}},
          clipNormSettings, accumulatorAndMomentum, accumType, accl1Type,
          debugContext) {}

std::unique_ptr<Optimizer> SGD::clone() const {
  return std::make_unique<SGD>(*this);
}

Adam::Adam(const Values &values, AdamMode mode, WeightDecayMode weightDecayMode,
           DataType accumType, DataType accl1Type, DataType accl2Type,
           const std::vector<ClipNormSettings> &clipNormSettings,
           bool scaledOptimizerState, const DebugContext &)
    : Optimizer(OptimizerType::Adam, "Adam",
                defaultsOf(populus::popir::Optimizer::Adam), values,
                clipNormSettings),
      mode(mode), decayMode(weightDecayMode), accumType(accumType),
      accl1Type(accl1Type), accl2Type(accl2Type), scaled(scaledOptimizerState) {
}

Adam::Adam(const Values &values, AdamMode mode, DataType accumType,
           DataType accl1Type, DataType accl2Type,
           const std::vector<ClipNormSettings> &clipNormSettings,
           bool scaledOptimizerState, const DebugContext &debugContext)
    : Adam(values, mode, WeightDecayMode::Decay, accumType, accl1Type,
           accl2Type, clipNormSettings, scaledOptimizerState, debugContext) {}

std::unique_ptr<Optimizer> Adam::clone() const {
  return std::make_unique<Adam>(*this);
}

Adaptive::Adaptive(const Values &values, AdaptiveMode mode,
                   WeightDecayMode weightDecayMode, DataType accumType,
                   DataType accl1Type, DataType accl2Type, DataType accl3Type,
                   bool rmspropTFVariant, const DebugContext &)
    : Optimizer(OptimizerType::Adaptive, "Adaptive",
                defaultsOf(populus::popir::Optimizer::RmsProp), values, {}),
      mode(mode), decayMode(weightDecayMode), accumType(accumType),
      accl1Type(accl1Type), accl2Type(accl2Type), accl3Type(accl3Type),
      tensorFlow(rmspropTFVariant) {}

std::unique_ptr<Optimizer> Adaptive::clone() const {
  return std::make_unique<Adaptive>(*this);
}

// ---- To the compiler --------------------------------------------------------

namespace {

using populus::popir::HyperValue;
using Kind = populus::popir::Optimizer::Kind;

HyperValue toCompiler(const OptimizerValue &value) {
  return {value.val(), value.isConst()};
}

std::optional<populus::popir::DataType> toCompiler(DataType type) {
  if (type == DataType::UNDEFINED)
    return std::nullopt;
  return populus::popir::fromOnnx(session::toOnnx(type));
}

Kind kindOf(AdamMode mode) {
  switch (mode) {
  case AdamMode::AdamNoBias:
    return Kind::AdamNoBias;
  case AdamMode::AdaMax:
    return Kind::AdaMax;
  case AdamMode::Lamb:
    return Kind::Lamb;
  case AdamMode::LambNoBias:
    return Kind::LambNoBias;
  case AdamMode::Adam:
    break;
  }
  return Kind::Adam;
}

Kind kindOf(AdaptiveMode mode) {
  switch (mode) {
  case AdaptiveMode::AdaGrad:
    return Kind::AdaGrad;
  case AdaptiveMode::CenteredRMSProp:
    return Kind::CenteredRmsProp;
  case AdaptiveMode::AdaDelta:
    return Kind::AdaDelta;
  case AdaptiveMode::RMSProp:
    break;
  }
  return Kind::RmsProp;
}

void setFamily(populus::popir::Optimizer &result, const SGD &sgd) {
  result.kind = Kind::Sgd;
  result.hasSeparateVelocity =
      sgd.getSGDAccumulatorAndMomentum() == SGDAccumulatorAndMomentum::Separate;
  result.accumType = toCompiler(sgd.accumulatorType());
  result.accl1Type = toCompiler(sgd.velocityType());
}

void setFamily(populus::popir::Optimizer &result, const Adam &adam) {
  result.kind = kindOf(adam.getMode());
  result.decayInGradient =
      adam.getWeightDecayMode() == WeightDecayMode::L2Regularization;
  result.hasScaledState = adam.useScaledOptimizerState();
  result.accumType = toCompiler(adam.accumulatorType());
  result.accl1Type = toCompiler(adam.moment1Type());
  result.accl2Type = toCompiler(adam.moment2Type());
}

void setFamily(populus::popir::Optimizer &result, const Adaptive &adaptive) {
  result.kind = kindOf(adaptive.getMode());
  result.decayInGradient =
      adaptive.getWeightDecayMode() == WeightDecayMode::L2Regularization;
  result.isTensorFlowVariant = adaptive.isRMSPropTFVariant();
  result.accumType = toCompiler(adaptive.accumulatorType());
  result.accl1Type = toCompiler(adaptive.state1Type());
  result.accl2Type = toCompiler(adaptive.state2Type());
  result.accl3Type = toCompiler(adaptive.state3Type());
}

} // namespace

/// Noticed where a session is made, as in PopART.
static void checkClips(const std::vector<ClipNormSettings> &clips) {
  const bool clipsAll =
      std::any_of(clips.begin(), clips.end(), [](const auto &clip) {
        return clip.getMode() == ClipNormSettings::Mode::ClipAllWeights;
      });
  if (clipsAll && clips.size() > 1)
    throw error("Multiple clip groups specified, but one has the mode "
                "'ClipAllWeights'");
}

populus::popir::Optimizer toCompiler(const Optimizer &optimizer) {
  checkClips(optimizer.getClipNormSettings());
  populus::popir::Optimizer result;
  if (const auto *sgd = dynamic_cast<const SGD *>(&optimizer))
    setFamily(result, *sgd);
  else if (const auto *adam = dynamic_cast<const Adam *>(&optimizer))
    setFamily(result, *adam);
  else if (const auto *adaptive = dynamic_cast<const Adaptive *>(&optimizer))
    setFamily(result, *adaptive);
  else
    throw error("there is no optimizer of the type {}", optimizer.type_s());
  result.lossScaling = toCompiler(optimizer.lossScaling());
  for (const auto &[name, unused] :
       populus::popir::defaultValues(result.kind)) {
    const OptimizerValueMap values = optimizer.valuesOf(name);
    result.defaults[name] = toCompiler(values.getDefault());
    for (const auto &[weight, value] : values.getSpecifics())
      result.specific[weight][name] = toCompiler(value);
  }
  for (const ClipNormSettings &clip : optimizer.getClipNormSettings())
    result.clipGroups.push_back({clip.getWeightIds(), clip.getMaxNorm()});
  return result;
}

} // namespace popart
