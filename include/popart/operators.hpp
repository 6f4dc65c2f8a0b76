// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Identifiers of ONNX's operators that have a class in popart/op.

#ifndef POPULUS_INCLUDE_POPART_OPERATORS_HPP
#define POPULUS_INCLUDE_POPART_OPERATORS_HPP

#include <popart/operatoridentifier.hpp>

namespace popart {
namespace Onnx {
namespace Operators {

static const OperatorIdentifier Abs_6(Domain::ai_onnx, "Abs", 6);
static const OperatorIdentifier Abs_13(Domain::ai_onnx, "Abs", 13);
static const OperatorIdentifier Add_6(Domain::ai_onnx, "Add", 6);
static const OperatorIdentifier Add_7(Domain::ai_onnx, "Add", 7);
static const OperatorIdentifier Add_13(Domain::ai_onnx, "Add", 13);
static const OperatorIdentifier Add_14(Domain::ai_onnx, "Add", 14);
static const OperatorIdentifier Cast_6(Domain::ai_onnx, "Cast", 6);
static const OperatorIdentifier Cast_9(Domain::ai_onnx, "Cast", 9);
static const OperatorIdentifier Cast_13(Domain::ai_onnx, "Cast", 13);
static const OperatorIdentifier Cast_19(Domain::ai_onnx, "Cast", 19);
static const OperatorIdentifier Cast_21(Domain::ai_onnx, "Cast", 21);
static const OperatorIdentifier Cast_23(Domain::ai_onnx, "Cast", 23);
static const OperatorIdentifier Cast_24(Domain::ai_onnx, "Cast", 24);
static const OperatorIdentifier Cast_25(Domain::ai_onnx, "Cast", 25);
static const OperatorIdentifier Cast_28(Domain::ai_onnx, "Cast", 28);
static const OperatorIdentifier Ceil_1(Domain::ai_onnx, "Ceil", 1);
static const OperatorIdentifier Ceil_6(Domain::ai_onnx, "Ceil", 6);
static const OperatorIdentifier Ceil_13(Domain::ai_onnx, "Ceil", 13);
static const OperatorIdentifier Concat_1(Domain::ai_onnx, "Concat", 1);
static const OperatorIdentifier Concat_4(Domain::ai_onnx, "Concat", 4);
static const OperatorIdentifier Concat_11(Domain::ai_onnx, "Concat", 11);
static const OperatorIdentifier Concat_13(Domain::ai_onnx, "Concat", 13);
static const OperatorIdentifier Conv_1(Domain::ai_onnx, "Conv", 1);
static const OperatorIdentifier Conv_11(Domain::ai_onnx, "Conv", 11);
static const OperatorIdentifier Conv_22(Domain::ai_onnx, "Conv", 22);
static const OperatorIdentifier Cos_7(Domain::ai_onnx, "Cos", 7);
static const OperatorIdentifier Cos_22(Domain::ai_onnx, "Cos", 22);
static const OperatorIdentifier Div_6(Domain::ai_onnx, "Div", 6);
static const OperatorIdentifier Div_7(Domain::ai_onnx, "Div", 7);
static const OperatorIdentifier Div_13(Domain::ai_onnx, "Div", 13);
static const OperatorIdentifier Div_14(Domain::ai_onnx, "Div", 14);
static const OperatorIdentifier Dropout_6(Domain::ai_onnx, "Dropout", 6);
static const OperatorIdentifier Dropout_7(Domain::ai_onnx, "Dropout", 7);
static const OperatorIdentifier Dropout_10(Domain::ai_onnx, "Dropout", 10);
static const OperatorIdentifier Dropout_12(Domain::ai_onnx, "Dropout", 12);
static const OperatorIdentifier Dropout_13(Domain::ai_onnx, "Dropout", 13);
static const OperatorIdentifier Dropout_22(Domain::ai_onnx, "Dropout", 22);
static const OperatorIdentifier Erf_9(Domain::ai_onnx, "Erf", 9);
static const OperatorIdentifier Erf_13(Domain::ai_onnx, "Erf", 13);
static const OperatorIdentifier Exp_6(Domain::ai_onnx, "Exp", 6);
static const OperatorIdentifier Exp_13(Domain::ai_onnx, "Exp", 13);
static const OperatorIdentifier Floor_1(Domain::ai_onnx, "Floor", 1);
static const OperatorIdentifier Floor_6(Domain::ai_onnx, "Floor", 6);
static const OperatorIdentifier Floor_13(Domain::ai_onnx, "Floor", 13);
static const OperatorIdentifier Gather_1(Domain::ai_onnx, "Gather", 1);
static const OperatorIdentifier Gather_11(Domain::ai_onnx, "Gather", 11);
static const OperatorIdentifier Gather_13(Domain::ai_onnx, "Gather", 13);
static const OperatorIdentifier Identity_1(Domain::ai_onnx, "Identity", 1);
static const OperatorIdentifier Identity_13(Domain::ai_onnx, "Identity", 13);
static const OperatorIdentifier Identity_14(Domain::ai_onnx, "Identity", 14);
static const OperatorIdentifier Identity_16(Domain::ai_onnx, "Identity", 16);
static const OperatorIdentifier Identity_19(Domain::ai_onnx, "Identity", 19);
static const OperatorIdentifier Identity_21(Domain::ai_onnx, "Identity", 21);
static const OperatorIdentifier Identity_23(Domain::ai_onnx, "Identity", 23);
static const OperatorIdentifier Identity_24(Domain::ai_onnx, "Identity", 24);
static const OperatorIdentifier Identity_25(Domain::ai_onnx, "Identity", 25);
static const OperatorIdentifier LeakyRelu_1(Domain::ai_onnx, "LeakyRelu", 1);
static const OperatorIdentifier LeakyRelu_6(Domain::ai_onnx, "LeakyRelu", 6);
static const OperatorIdentifier LeakyRelu_16(Domain::ai_onnx, "LeakyRelu", 16);
static const OperatorIdentifier Log_6(Domain::ai_onnx, "Log", 6);
static const OperatorIdentifier Log_13(Domain::ai_onnx, "Log", 13);
static const OperatorIdentifier LogSoftmax_1(Domain::ai_onnx, "LogSoftmax", 1);
static const OperatorIdentifier LogSoftmax_11(Domain::ai_onnx, "LogSoftmax",
                                              11);
static const OperatorIdentifier LogSoftmax_13(Domain::ai_onnx, "LogSoftmax",
                                              13);
static const OperatorIdentifier MatMul_1(Domain::ai_onnx, "MatMul", 1);
static const OperatorIdentifier MatMul_9(Domain::ai_onnx, "MatMul", 9);
static const OperatorIdentifier MatMul_13(Domain::ai_onnx, "MatMul", 13);
static const OperatorIdentifier Max_6(Domain::ai_onnx, "Max", 6);
static const OperatorIdentifier Max_8(Domain::ai_onnx, "Max", 8);
static const OperatorIdentifier Max_12(Domain::ai_onnx, "Max", 12);
static const OperatorIdentifier Max_13(Domain::ai_onnx, "Max", 13);
static const OperatorIdentifier Min_6(Domain::ai_onnx, "Min", 6);
static const OperatorIdentifier Min_8(Domain::ai_onnx, "Min", 8);
static const OperatorIdentifier Min_12(Domain::ai_onnx, "Min", 12);
static const OperatorIdentifier Min_13(Domain::ai_onnx, "Min", 13);
static const OperatorIdentifier Mul_6(Domain::ai_onnx, "Mul", 6);
static const OperatorIdentifier Mul_7(Domain::ai_onnx, "Mul", 7);
static const OperatorIdentifier Mul_13(Domain::ai_onnx, "Mul", 13);
static const OperatorIdentifier Mul_14(Domain::ai_onnx, "Mul", 14);
static const OperatorIdentifier Neg_6(Domain::ai_onnx, "Neg", 6);
static const OperatorIdentifier Neg_13(Domain::ai_onnx, "Neg", 13);
static const OperatorIdentifier Pow_1(Domain::ai_onnx, "Pow", 1);
static const OperatorIdentifier Pow_7(Domain::ai_onnx, "Pow", 7);
static const OperatorIdentifier Pow_12(Domain::ai_onnx, "Pow", 12);
static const OperatorIdentifier Pow_13(Domain::ai_onnx, "Pow", 13);
static const OperatorIdentifier Pow_15(Domain::ai_onnx, "Pow", 15);
static const OperatorIdentifier Reciprocal_6(Domain::ai_onnx, "Reciprocal", 6);
static const OperatorIdentifier Reciprocal_13(Domain::ai_onnx, "Reciprocal",
                                              13);
static const OperatorIdentifier Relu_6(Domain::ai_onnx, "Relu", 6);
static const OperatorIdentifier Relu_13(Domain::ai_onnx, "Relu", 13);
static const OperatorIdentifier Relu_14(Domain::ai_onnx, "Relu", 14);
static const OperatorIdentifier Reshape_5(Domain::ai_onnx, "Reshape", 5);
static const OperatorIdentifier Reshape_13(Domain::ai_onnx, "Reshape", 13);
static const OperatorIdentifier Reshape_14(Domain::ai_onnx, "Reshape", 14);
static const OperatorIdentifier Reshape_19(Domain::ai_onnx, "Reshape", 19);
static const OperatorIdentifier Reshape_21(Domain::ai_onnx, "Reshape", 21);
static const OperatorIdentifier Reshape_23(Domain::ai_onnx, "Reshape", 23);
static const OperatorIdentifier Reshape_24(Domain::ai_onnx, "Reshape", 24);
static const OperatorIdentifier Reshape_25(Domain::ai_onnx, "Reshape", 25);
static const OperatorIdentifier Sigmoid_6(Domain::ai_onnx, "Sigmoid", 6);
static const OperatorIdentifier Sigmoid_13(Domain::ai_onnx, "Sigmoid", 13);
static const OperatorIdentifier Sign_9(Domain::ai_onnx, "Sign", 9);
static const OperatorIdentifier Sign_13(Domain::ai_onnx, "Sign", 13);
static const OperatorIdentifier Sin_7(Domain::ai_onnx, "Sin", 7);
static const OperatorIdentifier Sin_22(Domain::ai_onnx, "Sin", 22);
static const OperatorIdentifier Softmax_1(Domain::ai_onnx, "Softmax", 1);
static const OperatorIdentifier Softmax_11(Domain::ai_onnx, "Softmax", 11);
static const OperatorIdentifier Softmax_13(Domain::ai_onnx, "Softmax", 13);
static const OperatorIdentifier Sqrt_6(Domain::ai_onnx, "Sqrt", 6);
static const OperatorIdentifier Sqrt_13(Domain::ai_onnx, "Sqrt", 13);
static const OperatorIdentifier Sub_6(Domain::ai_onnx, "Sub", 6);
static const OperatorIdentifier Sub_7(Domain::ai_onnx, "Sub", 7);
static const OperatorIdentifier Sub_13(Domain::ai_onnx, "Sub", 13);
static const OperatorIdentifier Sub_14(Domain::ai_onnx, "Sub", 14);
static const OperatorIdentifier Sum_6(Domain::ai_onnx, "Sum", 6);
static const OperatorIdentifier Sum_8(Domain::ai_onnx, "Sum", 8);
static const OperatorIdentifier Sum_13(Domain::ai_onnx, "Sum", 13);
static const OperatorIdentifier Tanh_6(Domain::ai_onnx, "Tanh", 6);
static const OperatorIdentifier Tanh_13(Domain::ai_onnx, "Tanh", 13);
static const OperatorIdentifier Transpose_1(Domain::ai_onnx, "Transpose", 1);
static const OperatorIdentifier Transpose_13(Domain::ai_onnx, "Transpose", 13);
static const OperatorIdentifier Transpose_21(Domain::ai_onnx, "Transpose", 21);
static const OperatorIdentifier Transpose_23(Domain::ai_onnx, "Transpose", 23);
static const OperatorIdentifier Transpose_24(Domain::ai_onnx, "Transpose", 24);
static const OperatorIdentifier Transpose_25(Domain::ai_onnx, "Transpose", 25);

} // namespace Operators
} // namespace Onnx
} // namespace popart

#endif
