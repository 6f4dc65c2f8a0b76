// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of the classifiers and regressors of ai.onnx.ml: inputs as rows
// of numbers, transformations of scores, and labels. Cases that ONNX's text
// leaves open follow ONNX Runtime, because scikit-learn's converter is tested
// with it.

#ifndef POPULUS_LIB_POPART_IMPORT_DECOMPOSITIONS_MLSCORES_H
#define POPULUS_LIB_POPART_IMPORT_DECOMPOSITIONS_MLSCORES_H

#include "lib/PopART/Import/Decomposition.h"

#include <string>
#include <vector>

namespace populus::popir::ml {

constexpr const char *Domain = "ai.onnx.ml";

/// The type of all arithmetic: --precision fp16 does not change it, and the
/// device computes it as float32. Thresholds and labels need that.
constexpr DataType Number = DataType::Double;

/// An input as [rows, features], of Number; a vector is one row.
Value &rowsOf(Expansion &e, std::size_t index = 0);

/// A list of floats, given as one or, since version 3, as a tensor.
std::vector<double> numbersOf(const Expansion &e, const std::string &name);

/// A constant of Number.
Value &table(Expansion &e, const Shape &shape,
             const std::vector<double> &values);

/// The attribute post_transform: NONE, LOGISTIC, SOFTMAX, SOFTMAX_ZERO or
/// PROBIT.
std::string transformOf(const Expansion &e);

/// Scores [rows, columns] after a transformation.
Value &transformed(Expansion &e, Value &scores, const std::string &transform);

/// The class labels, which have to be numbers; `name` is their attribute.
std::vector<std::int64_t> labelsOf(const Expansion &e, const std::string &name);

/// The label of the largest score of each row.
Value &likeliest(Expansion &e, Value &scores,
                 const std::vector<std::int64_t> &labels);

/// Makes both scores of two classes from the score of the second: a
/// probability and its complement, or a distance and its negative. LOGISTIC is
/// the only transformation of a single score.
Value &ofSecond(Expansion &e, Value &score, bool isProbability,
                const std::string &transform);

/// labels[1] where the condition [rows, 1] holds, else labels[0].
Value &oneOfTwo(Expansion &e, Value &condition,
                const std::vector<std::int64_t> &labels);

} // namespace populus::popir::ml

#endif
