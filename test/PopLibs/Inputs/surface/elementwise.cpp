// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of the elementwise functions of popops and of its expressions,
// once. The program is compiled and linked; its functions are not run.

#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/Expr.hpp>
#include <popops/ExprOp.hpp>
#include <popops/ExprOpUtils.hpp>

#include <iostream>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

#define UNARY(NAME)                                                            \
  popops::NAME(graph, a, prog);                                                \
  popops::NAME(graph, a, prog, "x", {});                                       \
  popops::NAME##InPlace(graph, a, prog, {di, "x"});                            \
  popops::NAME##WithOutput(graph, a, a, prog, "x", {})

#define BINARY(NAME)                                                           \
  popops::NAME(graph, a, b, prog);                                             \
  popops::NAME(graph, a, 1.0f, prog, "x", {});                                 \
  popops::NAME(graph, 2, a, prog, {di, "x"});                                  \
  popops::NAME##InPlace(graph, a, b, prog, "x", {});                           \
  popops::NAME##InPlace(graph, a, 1, prog);                                    \
  popops::NAME##WithOutput(graph, a, b, a, prog, "x", {});                     \
  popops::NAME##WithOutput(graph, a, 1.0f, a, prog);                           \
  popops::NAME##WithOutput(graph, 1.0f, a, a, prog)

void unary(Graph &graph, const Tensor &a, Sequence &prog,
           const DebugNameAndId &di) {
  UNARY(abs);
  UNARY(asin);
  UNARY(bitwiseNot);
  UNARY(cbrt);
  UNARY(ceil);
  UNARY(cos);
  UNARY(countLeadingZeros);
  UNARY(erf);
  UNARY(exp);
  UNARY(exp2);
  UNARY(expm1);
  UNARY(floor);
  UNARY(geluErf);
  UNARY(inv);
  UNARY(log);
  UNARY(log1p);
  UNARY(logicalNot);
  UNARY(nearbyint);
  UNARY(neg);
  UNARY(popcount);
  UNARY(round);
  UNARY(rsqrt);
  UNARY(sigmoid);
  UNARY(signum);
  UNARY(sin);
  UNARY(sqrt);
  UNARY(square);
  UNARY(tan);
  UNARY(tanh);
  popops::isFinite(graph, a, prog, "x");
  popops::isFiniteWithOutput(graph, a, a, prog, "x");
}

void binary(Graph &graph, const Tensor &a, const Tensor &b, Sequence &prog,
            const DebugNameAndId &di) {
  BINARY(add);
  BINARY(atan2);
  BINARY(bitwiseAnd);
  BINARY(bitwiseOr);
  BINARY(bitwiseXor);
  BINARY(bitwiseXnor);
  BINARY(div);
  BINARY(eq);
  BINARY(gt);
  BINARY(gteq);
  BINARY(lt);
  BINARY(lteq);
  BINARY(logicalAnd);
  BINARY(logicalOr);
  BINARY(max);
  BINARY(min);
  BINARY(mul);
  BINARY(neq);
  BINARY(pow);
  BINARY(rem);
  BINARY(shiftLeft);
  BINARY(shiftRight);
  BINARY(shiftRightSignExtend);
  BINARY(sub);
}

void ternary(Graph &graph, const Tensor &a, const Tensor &b, const Tensor &c,
             Sequence &prog) {
  popops::select(graph, a, b, c, prog);
  popops::select(graph, a, 1.0f, c, prog, "x", {});
  popops::select(graph, 1.0f, b, c, prog);
  popops::select(graph, 1.0f, 2.0f, c, prog);
  popops::selectInPlace(graph, a, b, c, prog, "x", {});
  popops::selectInPlace(graph, a, 1.0f, c, prog);
  popops::selectWithOutput(graph, a, b, c, a, prog, "x", {});
  popops::selectWithOutput(graph, a, 1.0f, c, a, prog);
  popops::selectWithOutput(graph, 1.0f, b, c, a, prog);
  popops::selectWithOutput(graph, 1.0f, 2.0f, c, a, prog);
  popops::clamp(graph, a, b, c, prog, "x", {});
  popops::clampInPlace(graph, a, b, c, prog, "x", {});
  popops::clampWithOutput(graph, a, b, c, a, prog, "x", {});
}

void variances(Graph &graph, const Tensor &a, const Tensor &epsilon,
               Sequence &prog) {
  popops::varianceToInvStdDev(graph, a, 1e-5f, prog);
  popops::varianceToInvStdDev(graph, a, 1e-5f, prog, HALF, "x", {});
  popops::varianceToInvStdDev(graph, a, epsilon, prog, FLOAT, "x");
  popops::varianceToInvStdDevInPlace(graph, a, 1e-5f, prog, "x");
  popops::varianceToInvStdDevInPlace(graph, a, epsilon, prog, "x");
  popops::varianceToInvStdDevWithOutput(graph, a, epsilon, a, prog, "x");
  popops::invStdDevToVariance(graph, a, 1e-5f, prog);
  popops::invStdDevToVariance(graph, a, 1e-5f, prog, HALF, "x", {});
  popops::invStdDevToVariance(graph, a, epsilon, prog, FLOAT, "x");
  popops::invStdDevToVarianceInPlace(graph, a, 1e-5f, prog, "x");
  popops::invStdDevToVarianceInPlace(graph, a, epsilon, prog, "x");
  popops::invStdDevToVarianceWithOutput(graph, a, epsilon, a, prog, "x");
}

void maps(Graph &graph, const Tensor &a, const Tensor &b, Sequence &prog) {
  using namespace popops;
  using namespace popops::expr;
  const OptionFlags options{{"enableVectorBroadcastOptimisations", "true"},
                            {"enableGenerateCodelet", "true"},
                            {"forceGenerateCodelet", "false"},
                            {"enableExpressionOptimizations", "true"}};
  map(graph, _1 + _2, {a, b}, prog);
  map(graph, Add(_1, Const(2.0f)), {a}, prog, "x", options);
  map(graph, UnaryOpType::RELU, a, prog, "x");
  map(graph, BinaryOpType::ADD, a, b, prog);
  map(graph, TernaryOpType::CLAMP, a, b, b, prog, "x");
  std::vector<Any> several{Any(_1 + _2), Any(_1 - _2)};
  std::vector<Tensor> results = map(graph, several, {a, b}, prog, "x");
  mapInPlace(graph, _1 * 2.0f, {a}, prog, "x");
  mapInPlace(graph, UnaryOpType::SQRT, a, prog);
  mapInPlace(graph, BinaryOpType::ADD, a, b, prog);
  mapInPlace(graph, TernaryOpType::SELECT, a, b, b, prog);
  mapInPlace(graph, several, {a, b}, prog);
  outputGeneratedCodelet(graph.getTarget(), _1 * 2.0f, {a}, {}, std::cout);
  mapWithOutput(graph, _1 * 2.0f, {a}, a, prog);
  mapWithOutput(graph, UnaryOpType::SQRT, a, a, prog);
  mapWithOutput(graph, BinaryOpType::ADD, a, b, a, prog);
  mapWithOutput(graph, TernaryOpType::SELECT, a, b, b, a, prog);
  mapWithOutput(graph, several, {a, b}, results, prog);
  createOutputForElementWiseOp(graph, {a, b}, FLOAT, "out");
}

void expressions() {
  using namespace popops::expr;
  Abs ofAbs(_1);
  Asin ofAsin(_1);
  BitwiseNot ofBitwiseNot(_1);
  Cbrt ofCbrt(_1);
  Erf ofErf(_1);
  Ceil ofCeil(_1);
  Cos ofCos(_1);
  Exp ofExp(_1);
  Expm1 ofExpm1(_1);
  Exp2 ofExp2(_1);
  Floor ofFloor(_1);
  GeluErf ofGeluErf(_1);
  Inv ofInv(_1);
  IsFinite ofIsFinite(_1);
  IsInf ofIsInf(_1);
  IsNaN ofIsNaN(_1);
  Log ofLog(_1);
  Log1p ofLog1p(_1);
  Not ofNot(_1);
  Neg ofNeg(_1);
  NearbyInt ofNearbyInt(_1);
  Signum ofSignum(_1);
  Sin ofSin(_1);
  Tan ofTan(_1);
  Tanh ofTanh(_1);
  Round ofRound(_1);
  Trunc ofTrunc(_1);
  Sqrt ofSqrt(_1);
  Square ofSquare(_1);
  Sigmoid ofSigmoid(_1);
  Rsqrt ofRsqrt(_1);
  Add ofAdd(_1, Const(2.0f));
  Atan2 ofAtan2(_1, Const(2.0f));
  BitwiseAnd ofBitwiseAnd(_1, Const(2.0f));
  BitwiseOr ofBitwiseOr(_1, Const(2.0f));
  BitwiseXor ofBitwiseXor(_1, Const(2.0f));
  BitwiseXnor ofBitwiseXnor(_1, Const(2.0f));
  Divide ofDivide(_1, Const(2.0f));
  Equal ofEqual(_1, Const(2.0f));
  Gte ofGte(_1, Const(2.0f));
  Gt ofGt(_1, Const(2.0f));
  Lte ofLte(_1, Const(2.0f));
  Lt ofLt(_1, Const(2.0f));
  And ofAnd(_1, Const(2.0f));
  Or ofOr(_1, Const(2.0f));
  InvStdDevToVariance ofInvStdDevToVariance(_1, Const(2.0f));
  VarianceToInvStdDev ofVarianceToInvStdDev(_1, Const(2.0f));
  Max ofMax(_1, Const(2.0f));
  Min ofMin(_1, Const(2.0f));
  Mul ofMul(_1, Const(2.0f));
  NotEqual ofNotEqual(_1, Const(2.0f));
  Pow ofPow(_1, Const(2.0f));
  Rem ofRem(_1, Const(2.0f));
  Shl ofShl(_1, Const(2.0f));
  Shr ofShr(_1, Const(2.0f));
  ShrSE ofShrSE(_1, Const(2.0f));
  Sub ofSub(_1, Const(2.0f));
  Select select(_1, _2, _3);
  Clamp clamp(_1, Const(0), Const(1));
  UnaryOp unary(UnaryOpType::COUNT_LEADING_ZEROS, _1);
  BinaryOp binary(BinaryOpType::ADD, _1, _2);
  TernaryOp ternary(TernaryOpType::CLAMP, _1, _2, _3);
  PlaceHolder third(3), last = _20;
  Cast cast(_1, HALF);
  ConstHalf half(1.5f);
  Any any = -_1 + 2 * _2 / 3.0f - (_1 % _2);
  any = (~_1 & _2) | (_3 ^ _4);
  any = (_1 << 2) + (_1 >> 1);
  any = !(_1 == _2) && (_1 != _2 || _1 < 2) && 1 <= _2 && _1 >= _2 && _1 > 2;
  any = Any(1.0_half + _1);
  std::unique_ptr<Expr> copy = ofAdd.clone();
  std::cout << ofAdd.deepEquals(binary);
  ofAdd.print(std::cout);
  using namespace popops::expr::ostream_ext;
  std::cout << UnaryOpType::ABSOLUTE << BinaryOpType::ADD
            << TernaryOpType::SELECT;
}

int main() { return 0; }
