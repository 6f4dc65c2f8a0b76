// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host buffers and streams for tests: memory for a tensor with the copies that
// fill it or read it, conversions between its elements and the numbers of the
// host, and random values. poplibs_test/Util.hpp has the comparisons.

#ifndef POPULUS_POPLAR_TEST_UTIL_HPP
#define POPULUS_POPLAR_TEST_UTIL_HPP

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/TypeConversion.hpp>

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar_test {

/// A buffer of a stream: its first byte.
class HostMemory {
public:
  HostMemory(char *data = nullptr) : data(data) {}
  operator char *() const { return data; }
  char *get() const { return data; }

private:
  char *data;
};

/// The buffers of streams, by handle.
using StreamMap = std::vector<std::pair<std::string, HostMemory>>;

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
/// attachStreams then connects them. `Memory` is HostMemory or char *.
template <typename Memory>
std::unique_ptr<char[]>
allocateHostMemoryForTensor(const poplar::Tensor &t, const std::string &name,
                            poplar::Graph &graph, OptionalSequence uploadProg,
                            OptionalSequence downloadProg,
                            std::vector<std::pair<std::string, Memory>> &map) {
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

template <typename Memory>
void attachStreams(poplar::Engine &engine,
                   const std::vector<std::pair<std::string, Memory>> &map) {
  for (const auto &stream : map)
    engine.connectStream(stream.first, static_cast<char *>(stream.second));
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

/// The same with the format and scale of quarters.
template <typename T>
void copy(const poplar::Target &, const T *src, std::size_t n,
          const poplar::Type &dstType, const poplar::QuarterMetadata &metadata,
          void *dst) {
  poplar::convertToDeviceType(dstType, metadata, poplar::ArrayRef<T>(src, n),
                              dst);
}
template <typename T>
void copy(const poplar::Target &, const poplar::Type &srcType,
          const poplar::QuarterMetadata &metadata, const void *src, T *dst,
          std::size_t n) {
  poplar::convertFromDeviceType(srcType, metadata, src,
                                poplar::ArrayRef<T>(dst, n));
}

/// The same for arrays of several dimensions, such as boost::multi_array:
/// anything with num_elements() and data().
template <typename Array,
          typename = decltype(std::declval<const Array &>().num_elements())>
void copy(const poplar::Target &target, const Array &src,
          const poplar::Type &dstType, void *dst) {
  copy(target, src.data(), src.num_elements(), dstType, dst);
}
template <typename Array,
          typename = decltype(std::declval<const Array &>().num_elements())>
void copy(const poplar::Target &target, const poplar::Type &srcType,
          const void *src, Array &dst) {
  copy(target, srcType, src, dst.data(), dst.num_elements());
}
template <typename Array,
          typename = decltype(std::declval<const Array &>().num_elements())>
void copy(const poplar::Target &target, const Array &src,
          const poplar::Type &dstType, const poplar::QuarterMetadata &metadata,
          void *dst) {
  copy(target, src.data(), src.num_elements(), dstType, metadata, dst);
}
template <typename Array,
          typename = decltype(std::declval<const Array &>().num_elements())>
void copy(const poplar::Target &target, const poplar::Type &srcType,
          const poplar::QuarterMetadata &metadata, const void *src,
          Array &dst) {
  copy(target, srcType, metadata, src, dst.data(), dst.num_elements());
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

/// The same for arrays with num_elements() and data().
template <typename Array, typename T, typename RandomEngine,
          typename = decltype(std::declval<const Array &>().num_elements())>
void writeRandomValues(const poplar::Target &target, const poplar::Type &type,
                       Array &values, T min, T max,
                       RandomEngine &randomEngine) {
  writeRandomValues(target, type, values.data(),
                    values.data() + values.num_elements(), min, max,
                    randomEngine);
}

} // namespace poplar_test

#endif
