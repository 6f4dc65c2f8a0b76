// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images (PNG, JPEG) as values of inputs, prepared as training scripts do:
// scaled to the input's size, laid out as its shape says, and normalised,
//
//     element = (pixel / 255 - mean) / std      by channel
//
// for an input of floats; an input of integers gets the pixels, 0 to 255.

#ifndef POPULUS_TOOLS_IPU_RUN_IMAGES_H
#define POPULUS_TOOLS_IPU_RUN_IMAGES_H

#include "HostTensor.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace populus::run {

struct ImageOptions {
  /// A number for each channel, or one for all; empty: 0 and 1.
  std::vector<double> mean, deviation;
  /// An image of another shape loses its edges ("crop"), or is "stretch"ed.
  std::string fit = "crop";
  /// The channels come before or behind the pixels; empty: where the shape has
  /// 1 or 3 of them.
  std::string layout; // "", "chw", "hwc"
};

/// True for the beginning of a PNG or JPEG file.
bool isImage(std::span<const std::uint8_t> bytes);

/// One sample for an input of \p shape, whose last dimensions are those of an
/// image: [channels, height, width], [height, width, channels], or, for an
/// input of two dimensions, [height, width]. Throws InputError, which names
/// \p file.
HostTensor parseImage(std::span<const std::uint8_t> bytes,
                      const std::string &file,
                      const std::vector<std::uint64_t> &shape, ElementType type,
                      const ImageOptions &options);

} // namespace populus::run

#endif
