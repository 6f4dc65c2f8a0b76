// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hyperparameters of optimizers, and the scalars that updates derive from them.

#include "lib/PopART/Training/Optimizer.h"

#include "lib/PopART/Support/Error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

namespace populus::popir {

HyperValues defaultValues(Optimizer::Kind kind) {
  auto constants =
      [](std::initializer_list<std::pair<const char *, double>> of) {
        HyperValues values;
        for (const auto &[name, value] : of)
          values[name] = {value, true};
        return values;
      };
  if (kind == Optimizer::Sgd)
    return constants({{"learningRate", 0.1},
                      {"weightDecay", 0},
                      {"momentum", 0},
                      {"dampening", 0},
                      {"velocityScaling", 1},
                      {"nesterov", 0}});
  if (kind <= Optimizer::AdaMax)
    return constants({{"learningRate", 0.1},
                      {"weightDecay", 0},
                      {"beta1", 0.9},
                      {"beta2", 0.999},
                      {"eps", 1e-6},
                      {"maxWeightNorm", 10}});
  return constants({{"learningRate", 0.01},
                    {"weightDecay", 0},
                    {"alpha", 0.99},
                    {"momentum", 0},
                    {"eps", 1e-6}});
}

const HyperValue &Optimizer::get(const std::string &weight,
                                 const std::string &name) const {
  if (auto own = specific.find(weight); own != specific.end())
    if (auto value = own->second.find(name); value != own->second.end())
      return value->second;
  return defaults.at(name);
}

bool Optimizer::hasMomentum(const std::string &weight) const {
  const HyperValue &momentum = get(weight, "momentum");
  return !momentum.isConst || momentum.value != 0;
}

bool Optimizer::addsToVelocity(const std::string &weight) const {
  return kind == Sgd && hasMomentum(weight) && !hasSeparateVelocity;
}

std::string Scalar::variableName(const std::string &weight) const {
  return isSpecific ? name + "___specific___" + weight
                    : name + "___default___FLOAT";
}

namespace {

/// Derives the scalars of one weight.
class Scalars {
public:
  Scalars(const Optimizer &optimizer, const std::string &weight,
          const Accumulation &accumulation)
      : optimizer(optimizer), weight(weight), accumulation(accumulation),
        isSpecific(optimizer.specific.count(weight) != 0) {}

  std::vector<Scalar> run() {
    if (optimizer.kind == Optimizer::Sgd)
      addSgd();
    else if (optimizer.isAdamFamily())
      addAdam();
    else
      addAdaptive();
    return std::move(scalars);
  }

private:
  const HyperValue &get(const char *name) const {
    return optimizer.get(weight, name);
  }

  /// A scalar that depends on the named values and on a power of the loss
  /// scaling.
  void add(const char *name, double value,
           std::initializer_list<const char *> parts, int scalingPower = 0) {
    bool isConst = scalingPower == 0 || optimizer.lossScaling.isConst;
    for (const char *part : parts)
      isConst &= get(part).isConst;
    scalars.push_back({name, value, isConst, isSpecific, scalingPower});
  }

  /// The divisor that turns a sum of gradients into the wanted gradient.
  double divisor() const {
    const bool isSum = accumulation.isMean && !accumulation.isRunning;
    return isSum ? gradients() : 1;
  }

  /// Gradients that an update is by.
  double gradients() const {
    return double(accumulation.factor) * accumulation.replicas;
  }

  void addSgd() {
    const double lr = get("learningRate").value, wd = get("weightDecay").value;
    const double mm = get("momentum").value,
                 undamped = 1 - get("dampening").value;
    const double vs = get("velocityScaling").value;
    const double ls = optimizer.lossScaling.value;
    const double mean = ls * divisor();
    // A velocity that accumulates gradients directly is averaged term by term.
    const double share = optimizer.addsToVelocity(weight) && accumulation.isMean
                             ? ls * gradients()
                             : mean;
    add("scaledLearningRate0", lr * undamped / mean,
        {"learningRate", "dampening"}, -1);
    add("weightDecayScaleFactor0", 1 - lr * undamped * wd,
        {"learningRate", "dampening", "weightDecay"});
    add("scaledLearningRate1", lr / vs, {"learningRate", "velocityScaling"});
    add("dampeningScaleFactor1", undamped * vs / share,
        {"dampening", "velocityScaling"}, -1);
    add("scaledMomentum1", mm, {"momentum"});
    add("scaledWeightDecay1", undamped * wd * vs,
        {"dampening", "weightDecay", "velocityScaling"});
    add("nesterovGradScaleFactor1", vs / share, {"velocityScaling"}, -1);
    add("sgdWeightDecay", wd * vs, {"weightDecay", "velocityScaling"});
  }

  double gradientScaling() const {
    const double ls =
        optimizer.hasScaledState ? 1 : optimizer.lossScaling.value;
    return 1 / (ls * divisor());
  }

  void addAdam() {
    const int power = optimizer.hasScaledState ? 1 : 0;
    add("adamGradientScaling", gradientScaling(), {}, power - 1);
    const double scale =
        optimizer.hasScaledState ? optimizer.lossScaling.value : 1;
    add("learningRate", get("learningRate").value, {"learningRate"});
    add("weightDecay",
        get("weightDecay").value * (optimizer.decayInGradient ? scale : 1),
        {"weightDecay"}, optimizer.decayInGradient ? power : 0);
    add("adamBeta1", get("beta1").value, {"beta1"});
    add("adamBeta2", get("beta2").value, {"beta2"});
    add("adamEps", get("eps").value * scale, {"eps"}, power);
    add("maxWeightNorm", get("maxWeightNorm").value, {"maxWeightNorm"});
  }

  void addAdaptive() {
    add("adaptiveGradientScaling", gradientScaling(), {}, -1);
    add("learningRate", get("learningRate").value, {"learningRate"});
    add("weightDecay", get("weightDecay").value, {"weightDecay"});
    add("adaptiveAlpha", get("alpha").value, {"alpha"});
    add("adaptiveMomentum", get("momentum").value, {"momentum"});
    add("adaptiveEps", get("eps").value, {"eps"});
  }

  const Optimizer &optimizer;
  const std::string &weight;
  const Accumulation &accumulation;
  const bool isSpecific;
  std::vector<Scalar> scalars;
};

/// "learning rates" for "learningRate"; nesterov stays singular.
std::string pluralOf(const std::string &name) {
  return name == "nesterov" ? name : wordsOf(name) + "s";
}

std::string whyNot(const HyperValues &values, const HyperValues &next) {
  for (const auto &[name, value] : values) {
    auto other = next.find(name);
    const std::string problem = "Problem with " + pluralOf(name) + ". ";
    if (other == next.end())
      return problem + "The new optimizer has no such value.";
    if (value.isConst && !other->second.isConst)
      return problem +
             "Can not replace a constant value with a non constant value.";
    if (!value.isConst && other->second.isConst)
      return problem +
             "Can not replace a non constant value with a constant value.";
    if (value.isConst && value.value != other->second.value)
      return problem + "Values are constant but do not match.";
    // Nesterov's look-ahead is compiled into the program.
    if (name == "nesterov" && (value.value != 0) != (other->second.value != 0))
      return problem + "It cannot be switched on or off.";
  }
  return "";
}

} // namespace

std::vector<Scalar> scalarsOf(const Optimizer &optimizer,
                              const std::string &weight,
                              const Accumulation &accumulation) {
  return Scalars(optimizer, weight, accumulation).run();
}

std::string wordsOf(const std::string &name) {
  std::string text;
  for (const char c : name)
    if (std::isupper(static_cast<unsigned char>(c)))
      text += {' ', static_cast<char>(std::tolower(c))};
    else
      text += c;
  return text;
}

std::string whyNotReplaceable(const Optimizer &optimizer,
                              const Optimizer &next) {
  if (optimizer.kind != next.kind ||
      optimizer.hasSeparateVelocity != next.hasSeparateVelocity ||
      optimizer.decayInGradient != next.decayInGradient ||
      optimizer.isTensorFlowVariant != next.isTensorFlowVariant ||
      optimizer.hasScaledState != next.hasScaledState)
    return "The new optimizer is of another kind.";
  if (optimizer.clipGroups != next.clipGroups)
    return "The optimizers clip norms of gradients in different ways.";
  if (std::string problem = whyNot({{"lossScaling", optimizer.lossScaling}},
                                   {{"lossScaling", next.lossScaling}});
      !problem.empty())
    return problem;
  if (std::string problem = whyNot(optimizer.defaults, next.defaults);
      !problem.empty())
    return problem;
  if (optimizer.specific.size() != next.specific.size())
    return "Other weights have values of their own.";
  for (const auto &[weight, values] : optimizer.specific) {
    auto other = next.specific.find(weight);
    if (other == next.specific.end())
      return "Only one of the optimizers has values for '" + weight + "'.";
    if (std::string problem = whyNot(values, other->second); !problem.empty())
      return problem;
  }
  return "";
}

} // namespace populus::popir
