// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host buffers and streams for tests: memory for a tensor with the copies that
// fill it or read it, conversions between what is there and the numbers of the
// host, random values, and comparisons that say what differs.

#ifndef POPULUS_POPLAR_TEST_UTIL_HPP
#define POPULUS_POPLAR_TEST_UTIL_HPP

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/TypeConversion.hpp>

#include <cmath>
#include <cstddef>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar_test {

/// The buffers of streams, by handle.
using StreamMap = std::vector<std::pair<std::string, char *>>;

/// A sequence that copies go to, or nothing: any other value, such as
/// std::nullopt, stands for that.
class OptionalSequence {
public:
  OptionalSequence(poplar::program::Sequence &prog) : prog(&prog) {}
  template <typename Nothing,
            typename = typename std::enable_if<!std::is_base_of<
                poplar::program::Program,
                typename std::decay<Nothing>::type>::value>::type>
  OptionalSequence(const Nothing &) : prog(nullptr) {}
  explicit operator bool() const { return prog != nullptr; }
  void add(const poplar::program::Program &program) const {
    prog->add(program);
  }

private:
  poplar::program::Sequence *prog;
};

/// Memory for all of a tensor. Where there are sequences, a copy from the
/// memory is added to the first one, and to the memory to the second one;
/// attachStreams then connects them.
inline std::unique_ptr<char[]>
allocateHostMemoryForTensor(const poplar::Tensor &t, const std::string &name,
                            poplar::Graph &graph, OptionalSequence uploadProg,
                            OptionalSequence downloadProg, StreamMap &map) {
  const poplar::Type type = t.elementType();
  const std::size_t bytes =
      t.numElements() * graph.getTarget().getTypeSize(type);
  std::unique_ptr<char[]> memory(new char[bytes == 0 ? 1 : bytes]());
  if (t.numElements() == 0)
    return memory;
  const poplar::Tensor flat = t.flatten();
  if (uploadProg) {
    const auto stream =
        graph.addHostToDeviceFIFO(name + "-upload", type, flat.numElements());
    uploadProg.add(poplar::program::Copy(stream, flat));
    map.emplace_back(name + "-upload", memory.get());
  }
  if (downloadProg) {
    const auto stream =
        graph.addDeviceToHostFIFO(name + "-download", type, flat.numElements());
    downloadProg.add(poplar::program::Copy(flat, stream));
    map.emplace_back(name + "-download", memory.get());
  }
  return memory;
}

inline void attachStreams(poplar::Engine &engine, const StreamMap &map) {
  for (const auto &stream : map)
    engine.connectStream(stream.first, stream.second);
}

/// Numbers to elements of a device type, and back.
template <typename T>
void copy(const poplar::Target &, const T *src, std::size_t n,
          const poplar::Type &dstType, void *dst) {
  poplar::convertToDeviceType(dstType, poplar::ArrayRef<T>(src, n), dst);
}
template <typename T>
void copy(const poplar::Target &, const poplar::Type &srcType, const void *src,
          T *dst, std::size_t n) {
  poplar::convertFromDeviceType(srcType, src, poplar::ArrayRef<T>(dst, n));
}
template <typename T>
void copy(const poplar::Target &target, const std::vector<T> &src,
          const poplar::Type &dstType, void *dst) {
  copy(target, src.data(), src.size(), dstType, dst);
}
template <typename T>
void copy(const poplar::Target &target, const poplar::Type &srcType,
          const void *src, std::vector<T> &dst) {
  copy(target, srcType, src, dst.data(), dst.size());
}

/// Values that elements of that type hold exactly.
template <typename T, typename RandomEngine>
void writeRandomValues(const poplar::Target &target, const poplar::Type &type,
                       T *begin, T *end, T min, T max,
                       RandomEngine &randomEngine) {
  std::uniform_real_distribution<double> distribution(static_cast<double>(min),
                                                      static_cast<double>(max));
  const std::size_t count = static_cast<std::size_t>(end - begin);
  for (T *value = begin; value != end; ++value)
    *value = static_cast<T>(distribution(randomEngine));
  std::vector<char> bytes(count * target.getTypeSize(type) + 1);
  copy(target, begin, count, type, bytes.data());
  copy(target, type, bytes.data(), begin, count);
}
template <typename T, typename RandomEngine>
void writeRandomValues(const poplar::Target &target, const poplar::Type &type,
                       std::vector<T> &values, T min, T max,
                       RandomEngine &randomEngine) {
  writeRandomValues(target, type, values.data(), values.data() + values.size(),
                    min, max, randomEngine);
}

/// Returns true if the numbers are equal or differ by at most the tolerances.
inline bool checkIsClose(double a, double b, double relativeTolerance,
                         double absoluteTolerance = 0) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return true;
  if (!std::isfinite(a) || !std::isfinite(b))
    return false;
  return std::abs(a - b) <= absoluteTolerance + relativeTolerance * std::abs(b);
}

/// The same for lists, of which the differences are printed, up to a few.
template <typename T>
bool checkIsClose(const std::string &name, const T *actual,
                  const std::vector<std::size_t> &shape, const T *expected,
                  std::size_t count, double relativeTolerance,
                  double absoluteTolerance = 0) {
  constexpr unsigned MostPrinted = 16;
  unsigned differences = 0;
  for (std::size_t i = 0; i != count; ++i) {
    if (checkIsClose(static_cast<double>(actual[i]),
                     static_cast<double>(expected[i]), relativeTolerance,
                     absoluteTolerance))
      continue;
    if (++differences > MostPrinted)
      continue;
    std::string place;
    for (std::size_t d = shape.size(), rest = i; d-- != 0; rest /= shape[d])
      place = "[" + std::to_string(rest % shape[d]) + "]" + place;
    std::cerr << name << place << ": " << actual[i] << ", but expected "
              << expected[i] << '\n';
  }
  if (differences > MostPrinted)
    std::cerr << name << ": " << differences << " differences\n";
  return differences == 0;
}
template <typename T>
bool checkIsClose(const std::string &name, const std::vector<T> &actual,
                  const std::vector<T> &expected, double relativeTolerance,
                  double absoluteTolerance = 0) {
  if (actual.size() != expected.size()) {
    std::cerr << name << ": " << actual.size() << " elements, but expected "
              << expected.size() << '\n';
    return false;
  }
  return checkIsClose(name, actual.data(), {actual.size()}, expected.data(),
                      actual.size(), relativeTolerance, absoluteTolerance);
}

} // namespace poplar_test

#endif
