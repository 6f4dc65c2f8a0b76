// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Activations that are an expression of other elementwise operators, and
// operators of ONNX that ai.graphcore has under another name.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

namespace populus::popir {

namespace {

const char *const Graphcore = "ai.graphcore";

std::vector<Value *> gelu(Expansion &e) {
  const std::string kind = e.attributes().getString("approximate", "none");
  if (kind != "none" && kind != "tanh")
    e.failInput(fmt::format("approximate \"{}\" does not exist", kind));
  return {
      &e.op(kind == "tanh" ? "Gelu" : "GeluErf", {&e.input(0)}, {}, Graphcore)};
}

std::vector<Value *> mish(Expansion &e) {
  Value &x = e.input(0);
  return {&e.mul(x, e.op("Tanh", {&e.op("Softplus", {&x})}))};
}

/// x * sigmoid(alpha * x)
Value &swishOf(Expansion &e, Value &x) {
  const float alpha = e.attributes().getFloat("alpha", 1);
  Value &scaled = alpha == 1 ? x : e.mul(x, e.scalar(x.info.type, alpha));
  return e.mul(x, e.op("Sigmoid", {&scaled}));
}

std::vector<Value *> swish(Expansion &e) { return {&swishOf(e, e.input(0))}; }

std::vector<Value *> swiGlu(Expansion &e) {
  if (e.shape(0) != e.shape(1))
    e.failInput(fmt::format("its inputs differ in shape: {} and {}",
                            toString(e.shape(0)), toString(e.shape(1))));
  return {&e.mul(swishOf(e, e.input(0)), e.input(1))};
}

/// The operator of the same name.
std::vector<Value *> graphcoreBinary(Expansion &e) {
  return {&e.op(e.spec().id.type, {&e.input(0), &e.input(1)}, {}, Graphcore)};
}

std::vector<Value *> graphcoreUnary(Expansion &e) {
  return {&e.op(e.spec().id.type, {&e.input(0)}, {}, Graphcore)};
}

const RegisterDecomposition decompositions[] = {
    {"Gelu", {20}, gelu},
    {"Mish", {18, 22}, mish},
    {"Swish", {24}, swish},
    {"SwiGLU", {28}, swiGlu},
    {"BitwiseAnd", {18}, graphcoreBinary},
    {"BitwiseOr", {18}, graphcoreBinary},
    {"BitwiseXor", {18}, graphcoreBinary},
    {"BitwiseNot", {18}, graphcoreUnary}};

} // namespace

} // namespace populus::popir
