// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of an input from a file: an array, an image, or a folder of
// samples, each a file of one of these kinds.

#ifndef POPULUS_TOOLS_IPU_RUN_INPUTFILES_H
#define POPULUS_TOOLS_IPU_RUN_INPUTFILES_H

#include "HostTensor.h"
#include "Images.h"

#include <filesystem>
#include <string>
#include <vector>

namespace populus::run {

/// The input that a file is for.
struct InputKind {
  std::string name;
  ElementType type = ElementType::Float;
  std::vector<std::uint64_t> shape;
};

/// Reads the value of \p input. The files of a folder, in the order of their
/// names, follow each other along the first dimension. Throws InputError.
HostTensor readInput(const std::filesystem::path &path, const InputKind &input,
                     const ImageOptions &images);

} // namespace populus::run

#endif
