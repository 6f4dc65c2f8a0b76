// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of ai.onnx.ml that prepare features: Scaler, Normalizer, Imputer,
// Binarizer, ArrayFeatureExtractor, FeatureVectorizer, and OneHotEncoder and
// LabelEncoder of numbers. Devices have no strings; these are rejected by name.

#include "lib/PopART/Import/Decompositions/MlScores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace populus::popir {

namespace {

using namespace ml;

[[noreturn]] void refuseStrings(const Expansion &e, const char *attribute) {
  e.failUnsupported(fmt::format("its {} are strings, which no tensor of the "
                                "device holds; export the model with numbers",
                                attribute));
}

/// One number for each feature, or one for all.
Value &perFeature(Expansion &e, const char *name, std::int64_t features,
                  double fallback) {
  std::vector<double> values = numbersOf(e, name);
  if (values.empty())
    values = {fallback};
  const auto count = static_cast<std::int64_t>(values.size());
  if (count != 1 && count != features)
    e.failInput(fmt::format("its {} has {} entries for {} features", name,
                            count, features));
  return table(e, {count}, values);
}

std::int64_t featuresOf(const Expansion &e) {
  const Shape &shape = e.shape(0);
  if (shape.empty())
    e.failInput("its input has no dimension of features");
  return shape.back();
}

/// (x - offset) * scale
std::vector<Value *> scaler(Expansion &e) {
  Value &x = e.cast(e.input(0), Number);
  Value &centred = e.sub(x, perFeature(e, "offset", featuresOf(e), 0));
  Value &scaled = e.mul(centred, perFeature(e, "scale", featuresOf(e), 1));
  return {&e.cast(scaled, DataType::Float)};
}

/// Rows divided by their norm; rows of zeros stay.
std::vector<Value *> normalizer(Expansion &e) {
  const std::string norm = e.attributes().getString("norm", "MAX");
  Value &x = e.cast(e.input(0), Number);
  const std::int64_t last = x.info.rank() - 1;
  if (last < 0)
    e.failInput("its input has no dimension of features");
  Value *size = nullptr;
  if (norm == "MAX")
    size = &e.reduce("ReduceMax", e.op("Abs", {&x}), {last});
  else if (norm == "L1")
    size = &e.reduce("ReduceL1", x, {last});
  else if (norm == "L2")
    size = &e.reduce("ReduceL2", x, {last});
  else
    e.failInput(fmt::format("norm \"{}\" does not exist", norm));
  Value &isZero = e.op("Equal", {size, &e.scalar(Number, 0)});
  Value &divisor = e.select(isZero, e.scalar(Number, 1), *size);
  return {&e.cast(e.div(x, divisor), DataType::Float)};
}

/// Elements that are equal to a number, or NaN, replaced.
std::vector<Value *> imputer(Expansion &e) {
  Value &x = e.input(0);
  const bool isFloat = isFloatingPoint(x.info.type);
  const std::vector<std::int64_t> integers =
      e.attributes().getInts("imputed_value_int64s");
  std::vector<double> values = numbersOf(e, "imputed_value_floats");
  if (!isFloat)
    values.assign(integers.begin(), integers.end());
  const auto count = static_cast<std::int64_t>(values.size());
  if (count != 1 && count != featuresOf(e))
    e.failInput(fmt::format("it has {} values for {} features of type {}",
                            count, featuresOf(e), name(x.info.type)));
  Value &known = isFloat ? e.cast(table(e, {count}, values), x.info.type)
                         : e.cast(e.ints(integers), x.info.type);
  if (!isFloat) {
    Value &wanted =
        e.cast(e.ints({e.attributes().getInt("replaced_value_int64", 0)}),
               x.info.type);
    return {&e.select(e.op("Equal", {&x, &wanted}), known, x)};
  }
  const double replaced = e.attributes().getFloat("replaced_value_float", 0);
  Value &isMissing =
      std::isnan(replaced)
          ? e.op("IsNaN", {&x})
          : e.op("Equal", {&x, &e.scalar(x.info.type, replaced)});
  return {&e.select(isMissing, known, x)};
}

std::vector<Value *> binarizer(Expansion &e) {
  Value &x = e.input(0);
  const double threshold = e.attributes().getFloat("threshold", 0);
  Value &isAbove =
      e.op("Greater", {&e.cast(x, Number), &e.scalar(Number, threshold)});
  return {&e.cast(isAbove, x.info.type)};
}

/// Elements of the last dimension; a vector is one row.
std::vector<Value *> arrayFeatureExtractor(Expansion &e) {
  Value &x = e.input(0);
  const std::int64_t count = numElements(e.shape(1));
  Value &places = e.reshape(e.input(1), {count});
  Value &taken = e.op("Gather", {&x, &places}, {{"axis", x.info.rank() - 1}});
  return {x.info.rank() == 1 ? &e.reshape(taken, {1, count}) : &taken};
}

/// Concatenates the inputs, each cropped or padded with zeros to its number of
/// features.
std::vector<Value *> featureVectorizer(Expansion &e) {
  const std::vector<std::int64_t> sizes =
      e.attributes().getInts("inputdimensions");
  if (sizes.size() != e.numInputs())
    e.failInput(fmt::format("it has {} inputdimensions for {} inputs",
                            sizes.size(), e.numInputs()));
  std::vector<Value *> parts;
  for (std::size_t i = 0; i != sizes.size(); ++i) {
    Value *x = &e.input(i);
    if (x->info.rank() == 1)
      x = &e.reshape(*x, {x->info.shape[0], 1});
    if (x->info.rank() != 2 || sizes[i] < 0 ||
        x->info.shape[0] != (i ? parts[0]->info.shape[0] : x->info.shape[0]))
      e.failInput(fmt::format("its input {}, {}, is not [rows, features] like "
                              "the others",
                              i, toString(e.shape(i))));
    const std::int64_t more = sizes[i] - x->info.shape[1];
    x = &e.cast(more == 0 ? *x : e.pad(*x, {0, 0}, {0, more}), Number);
    parts.push_back(x);
  }
  Value &joined = parts.size() == 1 ? *parts[0] : e.concat(parts, 1);
  return {&e.cast(joined, DataType::Float)};
}

/// Expands each element to a row with 1 at the index of its category.
std::vector<Value *> oneHotEncoder(Expansion &e) {
  if (!e.attributes().getStrings("cats_strings").empty())
    refuseStrings(e, "categories (cats_strings)");
  const std::vector<std::int64_t> categories =
      e.attributes().getInts("cats_int64s");
  if (categories.empty())
    e.failInput("it has no categories (cats_int64s)");
  if (e.attributes().getInt("zeros", 1) == 0)
    e.failUnsupported("with zeros=0 an unknown category stops the model, which "
                      "a device does not do; export it with zeros=1");
  Value &x = e.cast(e.input(0), DataType::Int64);
  Value &isCategory =
      e.op("Equal", {&e.unsqueeze(x, {x.info.rank()}), &e.ints(categories)});
  return {&e.cast(isCategory, DataType::Float)};
}

/// A table of numbers: keys and values of a LabelEncoder.
struct Numbers {
  DataType type;
  std::vector<double> values;
};

std::optional<Numbers> numbersOfLabels(const Expansion &e,
                                       const std::string &which) {
  const Attributes &given = e.attributes();
  if (given.has(which + "_strings"))
    refuseStrings(e, (which + "_strings").c_str());
  if (const auto tensor = given.getTensor(which + "_tensor"))
    return Numbers{tensor->type(), tensor->toDoubles()};
  if (given.has(which + "_int64s")) {
    const std::vector<std::int64_t> values = given.getInts(which + "_int64s");
    return Numbers{DataType::Int64, {values.begin(), values.end()}};
  }
  if (given.has(which + "_floats")) {
    const std::vector<float> values = given.getFloats(which + "_floats");
    return Numbers{DataType::Float, {values.begin(), values.end()}};
  }
  return std::nullopt;
}

double defaultLabel(const Expansion &e, DataType type) {
  if (const auto tensor = e.attributes().getTensor("default_tensor")) {
    if (tensor->info().numElements() != 1)
      e.failInput("its default_tensor is not one element");
    return tensor->toDoubles()[0];
  }
  if (isFloatingPoint(type))
    return e.attributes().getFloat("default_float", -0.0F);
  return static_cast<double>(e.attributes().getInt("default_int64", -1));
}

/// Maps each element to the value of its key, or to the default.
std::vector<Value *> labelEncoder(Expansion &e) {
  if (e.attributes().has("classes_strings"))
    refuseStrings(e, "classes_strings");
  const std::optional<Numbers> keys = numbersOfLabels(e, "keys");
  const std::optional<Numbers> values = numbersOfLabels(e, "values");
  if (!keys || !values || keys->values.size() != values->values.size())
    e.failInput("it has no keys and values, or not as many of both");
  Value &x = e.input(0);
  if (keys->type != x.info.type)
    e.failInput(fmt::format("its keys are of type {} and its input of {}",
                            name(keys->type), name(x.info.type)));
  // The default is behind all values.
  std::vector<double> all = values->values;
  all.push_back(defaultLabel(e, values->type));
  const auto count = static_cast<std::int64_t>(keys->values.size());
  auto ofType = [&](const std::vector<double> &list, DataType type) {
    HostTensor tensor(
        {DataType::Double, {static_cast<std::int64_t>(list.size())}});
    std::ranges::copy(list, tensor.as<double>().begin());
    return tensor.convertedTo(type);
  };
  Value &key = e.constant(ofType(keys->values, keys->type));
  Value &wide = e.unsqueeze(x, {x.info.rank()});
  Value *isKey = &e.op("Equal", {&wide, &key});
  if (std::ranges::any_of(keys->values,
                          [](double k) { return std::isnan(k); })) {
    // A key that is NaN stands for all NaN.
    Value &areBoth =
        e.op("And", {&e.op("IsNaN", {&wide}), &e.op("IsNaN", {&key})});
    isKey = &e.op("Or", {isKey, &areBoth});
  }
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i != count; ++i)
    numbers.push_back(i);
  Value &place = e.select(*isKey, e.ints(numbers), e.ints({count}));
  Value &first = e.op("ReduceMin", {&place, &e.ints({x.info.rank()})},
                      {{"keepdims", std::int64_t(0)}});
  return {&e.op("Gather", {&e.constant(ofType(all, values->type)), &first},
                {{"axis", std::int64_t(0)}})};
}

const RegisterDecomposition decompositions[] = {
    {"Scaler", {1}, scaler, Domain},
    {"Normalizer", {1}, normalizer, Domain},
    {"Imputer", {1}, imputer, Domain},
    {"Binarizer", {1}, binarizer, Domain},
    {"ArrayFeatureExtractor", {1}, arrayFeatureExtractor, Domain},
    {"FeatureVectorizer", {1}, featureVectorizer, Domain},
    {"OneHotEncoder", {1}, oneHotEncoder, Domain},
    {"LabelEncoder", {1, 2, 4}, labelEncoder, Domain}};

} // namespace

} // namespace populus::popir
