// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nonlinear functions as elementwise expressions; softmax is in Softmax.cpp.

#include "lib/PopLibs/popnn/Softmax.h"
#include "lib/PopLibs/popops/elementwise/MapInto.h"

#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <istream>
#include <ostream>
#include <string>

using namespace poplar;
using namespace poplar::program;

namespace popnn {
namespace {

namespace pe = popops::expr;

constexpr struct {
  NonLinearityType type;
  const char *text; // as printed
  const char *name; // as read
} Names[] = {
    {NonLinearityType::SIGMOID, "sigmoid", "sigmoid"},
    {NonLinearityType::HARD_SIGMOID, "hard sigmoid", "hard_sigmoid"},
    {NonLinearityType::RELU, "relu", "relu"},
    {NonLinearityType::TANH, "tanh", "tanh"},
    {NonLinearityType::GELU, "gelu", "gelu"},
    {NonLinearityType::GELU_ERF, "gelu_erf", "gelu_erf"},
    {NonLinearityType::SWISH, "swish", "swish"},
    {NonLinearityType::SOFTMAX, "softmax", "softmax"},
    {NonLinearityType::SOFTMAX_STABLE, "softmax (stable)", "softmax_stable"},
    {NonLinearityType::SOFTMAX_SCALED, "softmax (scaled, stable)",
     "softmax_scaled"},
};

bool isSoftmax(NonLinearityType type) {
  return type == NonLinearityType::SOFTMAX ||
         type == NonLinearityType::SOFTMAX_STABLE ||
         type == NonLinearityType::SOFTMAX_SCALED;
}

pe::Any expressionOf(NonLinearityType type) {
  switch (type) {
  case NonLinearityType::SIGMOID:
    return pe::Sigmoid(pe::_1);
  case NonLinearityType::HARD_SIGMOID:
    return pe::Clamp(0.2f * pe::_1 + 0.5f, pe::Const(0.0f), pe::Const(1.0f));
  case NonLinearityType::RELU:
    return pe::UnaryOp(pe::UnaryOpType::RELU, pe::_1);
  case NonLinearityType::TANH:
    return pe::Tanh(pe::_1);
  case NonLinearityType::GELU:
    return (0.5f * pe::_1) *
           (pe::Tanh((0.7978845608f * pe::_1) *
                     (0.044715f * pe::Square(pe::_1) + 1.0f)) +
            1.0f);
  case NonLinearityType::GELU_ERF:
    return pe::GeluErf(pe::_1);
  case NonLinearityType::SWISH:
    return pe::_1 * pe::Sigmoid(pe::_1);
  default:
    throw poputil::poplibs_error(
        std::string("popnn::nonLinearity: no such function, ") +
        asString(type));
  }
}

void checkType(const Tensor &t) {
  if (t.elementType() != FLOAT && t.elementType() != HALF)
    throw poputil::poplibs_error("popnn::nonLinearity: not for elements of "
                                 "type " +
                                 t.elementType().toString() +
                                 ", only float and half");
}

} // namespace

const char *asString(const NonLinearityType &type) {
  for (const auto &entry : Names)
    if (entry.type == type)
      return entry.text;
  throw poputil::poplibs_error("popnn: unknown nonlinearity");
}

std::ostream &operator<<(std::ostream &os, const NonLinearityType &type) {
  return os << asString(type);
}

std::istream &operator>>(std::istream &is, NonLinearityType &type) {
  std::string name;
  is >> name;
  for (const auto &entry : Names)
    if (name == entry.name) {
      type = entry.type;
      return is;
    }
  throw poputil::poplibs_error("popnn: unknown nonlinearity '" + name + "'");
}

void nonLinearityInPlace(Graph &graph, NonLinearityType type, const Tensor &t,
                         float &nonLinearityScaling, Sequence &prog,
                         const DebugContext &debugContext) {
  checkType(t);
  nonLinearityScaling = 1;
  const DebugContext dc(debugContext, "NonLinearity");
  if (!isSoftmax(type)) {
    popops::mapInPlace(graph, expressionOf(type), {t}, prog, dc);
    return;
  }
  if (type == NonLinearityType::SOFTMAX_SCALED && t.elementType() == HALF)
    nonLinearityScaling = 16384.0f;
  addSoftmax(graph, t, nonLinearityScaling, prog, dc);
}

void nonLinearityInPlace(Graph &graph, NonLinearityType type, const Tensor &t,
                         Sequence &prog, const DebugContext &debugContext) {
  if (type == NonLinearityType::SOFTMAX_SCALED)
    throw poputil::poplibs_error("popnn::nonLinearity: SOFTMAX_SCALED needs "
                                 "the form that returns the scale");
  float scaling;
  nonLinearityInPlace(graph, type, t, scaling, prog, debugContext);
}

void nonLinearityInPlace(Graph &graph, NonLinearityType type, const Tensor &t,
                         ComputeSet &cs, const DebugContext &debugContext) {
  checkType(t);
  if (isSoftmax(type))
    throw poputil::poplibs_error("popnn::nonLinearityInPlace: softmax takes "
                                 "more than a compute set; pass a program");
  popops::mapInto(graph, expressionOf(type), {t}, t, cs,
                  {debugContext, "NonLinearity"});
}

Tensor nonLinearity(Graph &graph, NonLinearityType type, const Tensor &t,
                    float &nonLinearityScaling, Sequence &prog,
                    const DebugContext &debugContext) {
  checkType(t);
  if (!isSoftmax(type)) {
    nonLinearityScaling = 1;
    return popops::map(graph, expressionOf(type), {t}, prog,
                       {debugContext, "NonLinearity"});
  }
  const Tensor out = copyForSoftmax(graph, t, prog, debugContext);
  nonLinearityInPlace(graph, type, out, nonLinearityScaling, prog,
                      debugContext);
  return out;
}

Tensor nonLinearity(Graph &graph, NonLinearityType type, const Tensor &t,
                    Sequence &prog, const DebugContext &debugContext) {
  if (type == NonLinearityType::SOFTMAX_SCALED)
    throw poputil::poplibs_error("popnn::nonLinearity: SOFTMAX_SCALED needs "
                                 "the form that returns the scale");
  float scaling;
  return nonLinearity(graph, type, t, scaling, prog, debugContext);
}

} // namespace popnn

namespace poputil {

std::string VertexTemplateToString<popnn::NonLinearityType>::to_string(
    const popnn::NonLinearityType &type) {
  std::string result = "popnn::NonLinearityType::";
  for (const auto &entry : popnn::Names)
    if (entry.type == type)
      for (const char *c = entry.name; *c; ++c)
        result += static_cast<char>(std::toupper(*c));
  return result;
}

} // namespace poputil
