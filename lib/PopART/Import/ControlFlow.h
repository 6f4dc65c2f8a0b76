// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators with subgraphs, and operators on sequences and optional values. The
// import inlines them or maps them to operators of the IR, so they have no
// classes.

#ifndef POPULUS_LIB_POPART_IMPORT_CONTROLFLOW_H
#define POPULUS_LIB_POPART_IMPORT_CONTROLFLOW_H

#include "lib/PopART/IR/DataType.h"
#include "lib/PopART/IR/OpTable.h"

namespace onnx {
class GraphProto;
} // namespace onnx

namespace populus::popir {

/// Their names and versions; they create no Op.
const std::vector<OpDefinition> &controlFlowOps();

/// The type of a loop's counter: PopART also accepts bodies with int32.
DataType typeOfCounter(const onnx::GraphProto &body);

bool isControlFlow(const OperatorId &id);

} // namespace populus::popir

#endif
