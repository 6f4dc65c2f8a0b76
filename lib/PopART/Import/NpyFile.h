// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's files of one array.

#ifndef POPULUS_LIB_POPART_IMPORT_NPYFILE_H
#define POPULUS_LIB_POPART_IMPORT_NPYFILE_H

#include "lib/PopART/IR/HostTensor.h"

#include <string>

namespace populus::popir {

/// An Error where the file is not one, or has elements that ONNX's tensors do
/// not have, or has them column by column.
HostTensor readNpy(const std::string &path);

} // namespace populus::popir

#endif
