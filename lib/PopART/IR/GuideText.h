// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and shapes as PopART's guide writes them, for texts that programs of
// PopART compare: messages, and the IR as JSON.

#ifndef POPULUS_LIB_POPART_IR_GUIDETEXT_H
#define POPULUS_LIB_POPART_IR_GUIDETEXT_H

#include "lib/PopART/IR/DataType.h"

namespace populus::popir {

/// "FLOAT16".
std::string guideText(DataType type);
/// "[2 3]".
std::string guideText(const Shape &shape);
/// "FLOAT   [2 3]".
std::string guideText(const TensorInfo &info);

} // namespace populus::popir

#endif
