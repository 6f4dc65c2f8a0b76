// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decoding is libpng's and TurboJPEG's. Scaling is by a triangle filter, which
// is as wide as a pixel of the smaller image: bilinear interpolation where an
// image grows, and a weighted mean, without aliasing, where it shrinks. Rows
// and columns are scaled one after the other:
//
//     source   0   1   2   3   4   5
//     weights  .2  .4  .4  .2          of one pixel in two thirds of the size

#include "Images.h"

#include "FileErrors.h"

#include <png.h>
#include <turbojpeg.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <string_view>

namespace populus::run {

namespace {

/// More pixels than any camera has: a damaged file must not take all memory.
constexpr std::uint64_t MostPixels = std::uint64_t(1) << 28;
constexpr std::size_t Colours = 3;

/// Rows of pixels, of `channels` numbers from 0 to 255 each.
struct Image {
  std::size_t height = 0, width = 0, channels = Colours;
  std::vector<float> values;

  float at(std::size_t y, std::size_t x, std::size_t channel) const {
    return values[(y * width + x) * channels + channel];
  }
};

bool beginsWith(std::span<const std::uint8_t> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() &&
         std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

bool isPng(std::span<const std::uint8_t> bytes) {
  return beginsWith(bytes, "\x89PNG\r\n\x1a\n");
}
bool isJpeg(std::span<const std::uint8_t> bytes) {
  return beginsWith(bytes, "\xff\xd8\xff");
}

void checkPixels(std::uint64_t height, std::uint64_t width,
                 const std::string &file) {
  if (height * width > MostPixels)
    fail(file, "has " + std::to_string(width) + "x" + std::to_string(height) +
                   " pixels, more than can be used");
}

Image imageOf(const std::vector<std::uint8_t> &pixels, std::size_t height,
              std::size_t width) {
  return {height, width, Colours, {pixels.begin(), pixels.end()}};
}

Image parsePng(std::span<const std::uint8_t> bytes, const std::string &file) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, decltype(&png_image_free)> owner(
      &png, &png_image_free);
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()))
    fail(file, std::string("is no PNG that can be read: ") + png.message);
  checkPixels(png.height, png.width, file);
  png.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(png));
  const png_color black = {};
  if (!png_image_finish_read(&png, &black, pixels.data(), 0, nullptr))
    fail(file, std::string("is no PNG that can be read: ") + png.message);
  return imageOf(pixels, png.height, png.width);
}

Image parseJpeg(std::span<const std::uint8_t> bytes, const std::string &file) {
  const std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(),
                                                         &tjDestroy);
  const auto refuse = [&] {
    fail(file, std::string("is no JPEG that can be read: ") +
                   tjGetErrorStr2(decoder.get()));
  };
  int width = 0, height = 0, sampling = 0, colours = 0;
  const auto size = static_cast<unsigned long>(bytes.size());
  if (tjDecompressHeader3(decoder.get(), bytes.data(), size, &width, &height,
                          &sampling, &colours) != 0)
    refuse();
  const auto rows = static_cast<std::size_t>(height);
  const auto columns = static_cast<std::size_t>(width);
  checkPixels(rows, columns, file);
  std::vector<std::uint8_t> pixels(rows * columns * Colours);
  if (tjDecompress2(decoder.get(), bytes.data(), size, pixels.data(), width, 0,
                    height, TJPF_RGB, TJFLAG_ACCURATEDCT) != 0)
    refuse();
  return imageOf(pixels, rows, columns);
}

/// Brightness, as ITU-R BT.601 has it.
Image grey(const Image &image) {
  Image result{image.height, image.width, 1, {}};
  for (std::size_t i = 0; i != image.values.size(); i += Colours)
    result.values.push_back(0.299F * image.values[i] +
                            0.587F * image.values[i + 1] +
                            0.114F * image.values[i + 2]);
  return result;
}

/// A part of one axis of an image.
struct Span {
  double begin = 0, length = 0;
};

/// The source pixels of a result's pixel, and their weights.
struct Taps {
  std::size_t first = 0;
  std::vector<float> weights;
};

/// The triangle filter for pixel \p i of \p count that \p part becomes.
Taps tapsOf(std::size_t i, std::size_t count, const Span &part,
            std::size_t extent) {
  const double step = part.length / static_cast<double>(count);
  const double reach = std::max(step, 1.0);
  const double centre = part.begin + (static_cast<double>(i) + 0.5) * step;
  const double last = static_cast<double>(extent) - 1;
  Taps taps;
  taps.first = static_cast<std::size_t>(
      std::clamp(std::floor(centre - reach + 0.5), 0.0, last));
  double sum = 0;
  for (std::size_t k = taps.first; k != extent; ++k) {
    const double distance =
        std::fabs(static_cast<double>(k) + 0.5 - centre) / reach;
    if (static_cast<double>(k) + 0.5 > centre && distance >= 1)
      break;
    taps.weights.push_back(static_cast<float>(std::max(1 - distance, 0.0)));
    sum += taps.weights.back();
  }
  for (float &weight : taps.weights)
    weight /= static_cast<float>(sum);
  return taps;
}

/// A part of the columns, in another width.
Image scaledColumns(const Image &image, std::size_t width, const Span &part) {
  Image result{image.height, width, image.channels, {}};
  result.values.resize(image.height * width * image.channels);
  for (std::size_t x = 0; x != width; ++x) {
    const Taps taps = tapsOf(x, width, part, image.width);
    for (std::size_t y = 0; y != image.height; ++y)
      for (std::size_t c = 0; c != image.channels; ++c) {
        float sum = 0;
        for (std::size_t k = 0; k != taps.weights.size(); ++k)
          sum += taps.weights[k] * image.at(y, taps.first + k, c);
        result.values[(y * width + x) * image.channels + c] = sum;
      }
  }
  return result;
}

Image transposed(const Image &image) {
  Image result{image.width, image.height, image.channels, {}};
  result.values.reserve(image.values.size());
  for (std::size_t x = 0; x != image.width; ++x)
    for (std::size_t y = 0; y != image.height; ++y)
      for (std::size_t c = 0; c != image.channels; ++c)
        result.values.push_back(image.at(y, x, c));
  return result;
}

Image scaled(const Image &image, std::size_t height, std::size_t width,
             bool isCropped) {
  Span rows{0, static_cast<double>(image.height)};
  Span columns{0, static_cast<double>(image.width)};
  if (isCropped) {
    const double step = std::min(rows.length / static_cast<double>(height),
                                 columns.length / static_cast<double>(width));
    const auto centred = [&](Span &axis, std::size_t extent) {
      const double length = step * static_cast<double>(extent);
      axis = {(axis.length - length) / 2, length};
    };
    centred(rows, height);
    centred(columns, width);
  }
  const Image wide = scaledColumns(image, width, columns);
  return transposed(scaledColumns(transposed(wide), height, rows));
}

/// The dimensions of an image in the shape of an input.
struct Layout {
  std::uint64_t height, width, channels;
  bool isPlanar; // [channels, height, width]
};

bool isChannels(std::uint64_t extent) {
  return extent == 1 || extent == Colours;
}

Layout layoutOf(const std::vector<std::uint64_t> &shape,
                const std::string &file, const ImageOptions &options) {
  const std::size_t rank = shape.size();
  if (rank == 2)
    return {shape[0], shape[1], 1, true};
  if (rank < 2)
    fail(file, "is an image, but the input has " + std::to_string(rank) +
                   " dimensions");
  const std::array<std::uint64_t, 3> last = {shape[rank - 3], shape[rank - 2],
                                             shape[rank - 1]};
  const bool isPlanar =
      options.layout.empty() ? isChannels(last[0]) : options.layout == "chw";
  const Layout layout = isPlanar ? Layout{last[1], last[2], last[0], true}
                                 : Layout{last[0], last[1], last[2], false};
  if (!isChannels(layout.channels))
    fail(file, "is an image, but the input has " +
                   std::to_string(layout.channels) +
                   " channels where images have 1 or 3");
  if (layout.height == 0 || layout.width == 0)
    fail(file, "is an image, but the input has no pixels");
  return layout;
}

/// The option's number for a channel.
double ofChannel(const std::vector<double> &numbers, std::size_t channel,
                 std::size_t channels, double other, const char *option,
                 const std::string &file) {
  if (numbers.empty())
    return other;
  if (numbers.size() != 1 && numbers.size() != channels)
    fail(file, std::string(option) + " has " + std::to_string(numbers.size()) +
                   " numbers for " + std::to_string(channels) + " channels");
  return numbers[numbers.size() == 1 ? 0 : channel];
}

void normalise(Image &image, const std::string &file,
               const ImageOptions &options) {
  for (std::size_t c = 0; c != image.channels; ++c) {
    const double mean =
        ofChannel(options.mean, c, image.channels, 0, "--image-mean", file);
    const double deviation =
        ofChannel(options.deviation, c, image.channels, 1, "--image-std", file);
    for (std::size_t i = c; i < image.values.size(); i += image.channels)
      image.values[i] = static_cast<float>(
          (static_cast<double>(image.values[i]) / 255 - mean) / deviation);
  }
}

/// The elements in the order of the layout.
std::vector<float> ordered(const Image &image, bool isPlanar) {
  if (!isPlanar)
    return image.values;
  std::vector<float> values;
  values.reserve(image.values.size());
  for (std::size_t c = 0; c != image.channels; ++c)
    for (std::size_t i = c; i < image.values.size(); i += image.channels)
      values.push_back(image.values[i]);
  return values;
}

HostTensor floatTensor(const std::vector<float> &values) {
  HostTensor tensor;
  tensor.data.resize(values.size() * sizeof(float));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

HostTensor byteTensor(const std::vector<float> &values) {
  HostTensor tensor;
  tensor.type = ElementType::UnsignedChar;
  for (float value : values)
    tensor.data.push_back(
        static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F)));
  return tensor;
}

} // namespace

bool isImage(std::span<const std::uint8_t> bytes) {
  return isPng(bytes) || isJpeg(bytes);
}

HostTensor parseImage(std::span<const std::uint8_t> bytes,
                      const std::string &file,
                      const std::vector<std::uint64_t> &shape, ElementType type,
                      const ImageOptions &options) {
  const Layout layout = layoutOf(shape, file, options);
  Image image = isPng(bytes) ? parsePng(bytes, file) : parseJpeg(bytes, file);
  if (layout.channels == 1)
    image = grey(image);
  image = scaled(image, layout.height, layout.width, options.fit == "crop");
  const bool isReal = runtime::info(type).isFloatingPoint;
  if (isReal)
    normalise(image, file, options);
  else if (!options.mean.empty() || !options.deviation.empty())
    fail(file, "--image-mean and --image-std are for inputs of floats");
  const std::vector<float> values = ordered(image, layout.isPlanar);
  HostTensor tensor = isReal ? floatTensor(values) : byteTensor(values);
  tensor.shape = shape;
  if (shape.size() > 3) // one sample of a batch
    std::fill(tensor.shape.begin(), tensor.shape.end() - 3, 1);
  return tensor;
}

} // namespace populus::run
