// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading images and labels in MNIST's IDX format: big-endian counts, then a
// byte for each pixel or label.

#ifndef POPULUS_TEST_TUTORIALS_MNIST_HPP
#define POPULUS_TEST_TUTORIALS_MNIST_HPP

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

const unsigned NumClasses = 10;

struct MnistSet {
  std::size_t count;
  std::size_t pixelsPerImage;
  std::vector<float> images; // count x pixels, from 0 to 1
  std::vector<float> labels; // count x classes: 1 for the right class, else 0
};

namespace detail {

inline std::size_t readNumber(std::istream &in) {
  unsigned char bytes[4] = {};
  in.read(reinterpret_cast<char *>(bytes), 4);
  return std::size_t(bytes[0]) << 24 | bytes[1] << 16 | bytes[2] << 8 |
         bytes[3];
}

[[noreturn]] inline void fail(const std::string &path) {
  std::cerr << "cannot read " << path
            << "; make the data with make_digits.py, or get MNIST's\n";
  std::exit(1);
}

} // namespace detail

/// Reads the set `name` ("train" or "t10k") in a folder.
inline MnistSet readMnist(const std::string &folder, const std::string &name) {
  MnistSet set = {};
  const std::string imagePath = folder + "/" + name + "-images-idx3-ubyte";
  const std::string labelPath = folder + "/" + name + "-labels-idx1-ubyte";
  std::ifstream images(imagePath.c_str(), std::ios::binary);
  std::ifstream labels(labelPath.c_str(), std::ios::binary);
  if (detail::readNumber(images) != 0x803)
    detail::fail(imagePath);
  set.count = detail::readNumber(images);
  set.pixelsPerImage = detail::readNumber(images);
  set.pixelsPerImage *= detail::readNumber(images);
  if (detail::readNumber(labels) != 0x801 ||
      detail::readNumber(labels) != set.count)
    detail::fail(labelPath);

  std::vector<unsigned char> bytes(set.count * set.pixelsPerImage);
  if (!images.read(reinterpret_cast<char *>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size())))
    detail::fail(imagePath);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    set.images.push_back(static_cast<float>(bytes[i]) / 255.0f);
  set.labels.resize(set.count * NumClasses);
  for (std::size_t i = 0; i < set.count; ++i) {
    const int label = labels.get();
    if (label < 0 || label >= int(NumClasses))
      detail::fail(labelPath);
    set.labels[i * NumClasses + label] = 1.0f;
  }
  return set;
}

#endif
