// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the options of training with tables of names.

#include "lib/PopART/Training/Texts.h"

#include "lib/PopART/Support/Error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

namespace populus::popir {

namespace {

[[noreturn]] void failUsage(const std::string &text) {
  throw Error(ErrorKind::Usage, text);
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

/// Splits a text at the first ':'.
std::pair<std::string, std::string> splitKind(const std::string &text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// "key=value"; nothing where there is no '='.
std::optional<std::pair<std::string, std::string>>
splitValue(const std::string &text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos)
    return std::nullopt;
  return std::pair(text.substr(0, sign), text.substr(sign + 1));
}

template <class T>
T number(const std::string &option, const std::string &text) {
  T value{};
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end)
    failUsage(fmt::format("{}: '{}' is not a number", option, text));
  return value;
}

/// The names of a table as a list.
template <class Table> std::string namesOf(const Table &table) {
  std::vector<std::string> names;
  for (const auto &entry : table)
    names.emplace_back(entry.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// ---- Losses -----------------------------------------------------------------

void setLossOption(Loss &loss, const std::string &key,
                   const std::string &value) {
  if (key == "reduction" && (value == "mean" || value == "sum"))
    loss.isMean = value == "mean";
  else if (key == "ignore")
    loss.ignored = number<std::int64_t>("--loss: ignore", value);
  else
    failUsage(fmt::format("--loss: '{}={}' is not one of reduction=mean, "
                          "reduction=sum and ignore=K",
                          key, value));
}

// ---- Optimizers -------------------------------------------------------------

struct OptimizerName {
  const char *name;
  Optimizer::Kind kind;
  bool decaysInGradient;
};

constexpr OptimizerName Names[] = {
    {"sgd", Optimizer::Sgd, true},
    {"adam", Optimizer::Adam, true},
    {"adamw", Optimizer::Adam, false},
    {"adamax", Optimizer::AdaMax, true},
    {"lamb", Optimizer::Lamb, false},
    {"rmsprop", Optimizer::RmsProp, true},
    {"adagrad", Optimizer::AdaGrad, true},
    {"adadelta", Optimizer::AdaDelta, true},
};

struct Key {
  const char *name;
  const char *value;
};

/// Keys of all families. An optimizer accepts those that are in its defaults.
constexpr Key Keys[] = {
    {"lr", "learningRate"},   {"weight_decay", "weightDecay"},
    {"momentum", "momentum"}, {"dampening", "dampening"},
    {"nesterov", "nesterov"}, {"velocity_scaling", "velocityScaling"},
    {"beta1", "beta1"},       {"beta2", "beta2"},
    {"eps", "eps"},           {"max_weight_norm", "maxWeightNorm"},
    {"alpha", "alpha"},
};

/// Rejects values for which the update is undefined.
void checkValue(const std::string &key, double value) {
  const bool isPositive = key == "eps" || key == "velocity_scaling";
  if (!std::isfinite(value) || value < 0 || (isPositive && value == 0))
    failUsage(fmt::format("--optimizer: {}={} is not a {} number", key, value,
                          isPositive ? "positive" : "non-negative"));
  if (key == "lr" && value == 0)
    failUsage("--optimizer: with a learning rate of 0 nothing is learnt");
}

void setOptimizerOption(Optimizer &optimizer, const std::string &name,
                        const std::string &key, const std::string &text) {
  const double value = number<double>("--optimizer: " + key, text);
  if (key == "loss_scaling") {
    if (value == 0 || !std::isfinite(value))
      failUsage("--optimizer: the loss scaling cannot be " + text);
    optimizer.lossScaling.value = value;
    return;
  }
  if (key == "clip") {
    if (!(value > 0) || !std::isfinite(value))
      failUsage("--optimizer: clip=" + text + " is not a positive number");
    optimizer.clipGroups = {{{}, value}};
    return;
  }
  const Key *known = std::ranges::find(Keys, key, &Key::name);
  if (known == std::end(Keys) || !optimizer.defaults.contains(known->value)) {
    std::vector<std::string> names;
    for (const Key &each : Keys)
      if (optimizer.defaults.contains(each.value))
        names.emplace_back(each.name);
    failUsage(fmt::format("--optimizer: {} has no '{}'; it has {}, clip and "
                          "loss_scaling",
                          name, key, fmt::join(names, ", ")));
  }
  checkValue(key, value);
  optimizer.defaults[known->value].value = value;
}

} // namespace

Loss parseLoss(const std::string &text) {
  auto [name, rest] = splitKind(text);
  const auto kind = std::ranges::find(lossKinds(), name, &LossKind::name);
  if (kind == lossKinds().end())
    failUsage(fmt::format("--loss: there is no loss '{}'; there are {}", name,
                          namesOf(lossKinds())));
  Loss loss;
  loss.kind = kind->kind;
  std::vector<std::string> names;
  for (const std::string &part : split(rest, ','))
    if (auto option = splitValue(part))
      setLossOption(loss, option->first, option->second);
    else
      names.push_back(part);
  if (names.size() != (kind->hasLabels ? 2 : 1))
    failUsage(fmt::format("--loss: '{}' is not of the form {}:OUTPUT{}", text,
                          name, kind->hasLabels ? ",LABELS" : ""));
  loss.output = names[0];
  if (kind->hasLabels)
    loss.labels = names[1];
  return loss;
}

Optimizer parseOptimizer(const std::string &text) {
  auto [name, rest] = splitKind(text);
  const OptimizerName *known =
      std::ranges::find(Names, name, &OptimizerName::name);
  if (known == std::end(Names))
    failUsage(fmt::format("--optimizer: there is no optimizer '{}'; there are "
                          "{}",
                          name, namesOf(Names)));
  Optimizer optimizer;
  optimizer.kind = known->kind;
  optimizer.decayInGradient = known->decaysInGradient;
  optimizer.defaults = defaultValues(known->kind);
  for (const std::string &part : split(rest, ',')) {
    auto option = splitValue(part);
    if (!option)
      failUsage(
          fmt::format("--optimizer: '{}' is not of the form key=value", part));
    setOptimizerOption(optimizer, name, option->first, option->second);
  }
  return optimizer;
}

} // namespace populus::popir
