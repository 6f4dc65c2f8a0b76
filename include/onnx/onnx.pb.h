// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of ONNX models under the name that PopART's programs include. They
// are in the header that the installed ONNX library has.

#ifndef POPULUS_INCLUDE_ONNX_ONNX_PB_H
#define POPULUS_INCLUDE_ONNX_ONNX_PB_H

#ifndef ONNX_ML
#define ONNX_ML 1
#endif
#include <onnx/onnx_pb.h>

#include <onnx/onnx-ml.pb.h>

#endif
