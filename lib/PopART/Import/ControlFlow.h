// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators that have graphs inside them, and those of sequences and
// optional values. The import unrolls them, or makes operators of the IR of
// them, so there are no classes for them.

#ifndef POPULUS_LIB_POPART_IMPORT_CONTROLFLOW_H
#define POPULUS_LIB_POPART_IMPORT_CONTROLFLOW_H

#include "lib/PopART/IR/DataType.h"
#include "lib/PopART/IR/OpTable.h"

namespace onnx {
class GraphProto;
} // namespace onnx

namespace populus::popir {

/// Their names and versions; they make no Op.
const std::vector<OpDefinition> &controlFlowOps();

/// In which a loop counts its iterations: PopART takes bodies of int32, too.
DataType typeOfCounter(const onnx::GraphProto &body);

bool isControlFlow(const OperatorId &id);

} // namespace populus::popir

#endif
