// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools a tile's block of channels that lie side by side in groups of 32 bytes,
// so that the vector instructions work on several of them at once. The elements
// of the windows are in lists that were made in advance; elements in padding
// are not in them.

#include "lib/PopLibs/poputil/Opaque.h"
#include "lib/PopLibs/poputil/TapVertex.h"

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
#include <popnn/PoolingDef.hpp>

using namespace poplar;
using namespace poplibs;

namespace popnn {
namespace {

/// Four channels of windows: their sums in float, or their largest elements.
constexpr unsigned AtOnce = ChannelsOfBlock;
constexpr float Lowest = -__builtin_inff();
constexpr float LowestHalf = -65504;

template <PoolingType Type, class T> struct Window;

#ifdef __IPU__
using Float2 = float __attribute__((ext_vector_type(2)));
using Half4 = half __attribute__((ext_vector_type(4)));

/// The second half of four floats has an address of its own, so that no
/// addition is needed to load it.
template <PoolingType Type> struct Window<Type, float> {
  static constexpr bool Max = Type == PoolingType::MAX;
  const char *from, *highFrom;
  Float2 low, high;

  explicit Window(const float *in)
      : from(reinterpret_cast<const char *>(in)),
        highFrom(from + sizeof(Float2)), low(Max ? Lowest : 0.0f), high(low) {
    asm("" : "+r"(highFrom));
  }
  void add(unsigned at) {
    low = combine(low, from + at);
    high = combine(high, highFrom + at);
  }
  void end(float *to, float scale) const {
    reinterpret_cast<Float2 *>(to)[0] = Max ? low : low * scale;
    reinterpret_cast<Float2 *>(to)[1] = Max ? high : high * scale;
  }

private:
  static Float2 combine(Float2 value, const char *at) {
    const Float2 x = *reinterpret_cast<const Float2 *>(at);
    if constexpr (Max)
      return __builtin_elementwise_max(value, x);
    else
      return value + x;
  }
};

template <> struct Window<PoolingType::MAX, half> {
  const char *from;
  Half4 largest;

  explicit Window(const half *in)
      : from(reinterpret_cast<const char *>(in)), largest(half(LowestHalf)) {}
  void add(unsigned at) {
    largest = __builtin_elementwise_max(
        largest, *reinterpret_cast<const Half4 *>(from + at));
  }
  void end(half *to, float) const { *reinterpret_cast<Half4 *>(to) = largest; }
};

/// The accumulators have the sums.
template <PoolingType Type> struct Window<Type, half> {
  const char *from;

  explicit Window(const half *in) : from(reinterpret_cast<const char *>(in)) {
    for (unsigned i = 0; i != 4; ++i)
      __builtin_ipu_f32v2gina(Float2{0, 0}, 0);
  }
  void add(unsigned at) {
    __builtin_ipu_f16v4acc(*reinterpret_cast<const Half4 *>(from + at));
  }
  void end(half *to, float scale) const {
    const Float2 low = __builtin_ipu_f32v2gina(Float2{0, 0}, 0) * scale;
    const Float2 high = __builtin_ipu_f32v2gina(Float2{0, 0}, 0) * scale;
    *reinterpret_cast<Half4 *>(to) =
        Half4{half(low[0]), half(low[1]), half(high[0]), half(high[1])};
  }
};
#else
template <PoolingType Type, class T> struct Window {
  static constexpr bool Max = Type == PoolingType::MAX;
  const T *from;
  float values[AtOnce];

  explicit Window(const T *in) : from(in) {
    for (float &value : values)
      value = !Max ? 0.0f : sizeof(T) == 2 ? LowestHalf : Lowest;
  }
  void add(unsigned at) {
    for (unsigned i = 0; i != AtOnce; ++i) {
      const float x = float(from[at / sizeof(T) + i]);
      if constexpr (Max)
        values[i] = values[i] < x ? x : values[i];
      else
        values[i] += x;
    }
  }
  void end(T *to, float scale) const {
    for (unsigned i = 0; i != AtOnce; ++i)
      to[i] = T(Max ? values[i] : values[i] * scale);
  }
};
#endif

} // namespace

template <PoolingType Type, class T> class PoolChannelwise : public TapVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in; // [group][position][channel]
  Output<Vector<T, VectorLayout::ONE_PTR, 8>> out;

  bool compute(unsigned workerId) {
    forEachSegment(workerId, [this](const TapSegment &segment)
                                 __attribute__((always_inline)) {
                                   opaque(this)->poolSegment(segment);
                                 });
    return true;
  }

private:
  static constexpr unsigned Channels = ChannelGroupBytes / sizeof(T);

  __attribute__((always_inline)) void poolSegment(const TapSegment &segment) {
    const T *x = &in[segment.input * Channels];
    T *y = &out[segment.result * Channels];
    const Tap *list = reinterpret_cast<const Tap *>(&taps[0]) + segment.list;
    const unsigned count = segment.taps;
    const bool isMean = Type == PoolingType::AVG && count != 0;
    const float scale = isMean ? 1.0f / float(count) : 1.0f;
    const unsigned channel = segment.firstBlock * AtOnce;
    if (segment.blocks == Channels / AtOnce)
      poolWindows<Channels>(x, y, list, count, scale, segment.count);
    else
      poolWindows<AtOnce>(x + channel, y + channel, list, count, scale,
                          segment.count);
  }

  /// Results of so many channels, one after the other.
  template <unsigned Count>
  __attribute__((always_inline)) void
  poolWindows(const T *x, T *y, const Tap *list, unsigned count, float scale,
              unsigned left) {
    const unsigned fromStep = inStep * Channels, toStep = outStep * Channels;
    for (; left != 0; --left) {
      for (unsigned channel = 0; channel != Count; channel += AtOnce)
        poolWindow(x + channel, y + channel, list, count, scale);
      x += fromStep;
      y += toStep;
    }
  }

  __attribute__((always_inline)) static void
  poolWindow(const T *x, T *y, const Tap *tap, unsigned count, float scale) {
    Window<Type, T> window(x);
    for (unsigned left = count; left != 0; --left) {
      window.add(tap->input);
      ++tap;
    }
    window.end(y, scale);
  }
};

template class PoolChannelwise<PoolingType::MAX, float>;
template class PoolChannelwise<PoolingType::AVG, float>;
template class PoolChannelwise<PoolingType::SUM, float>;
template class PoolChannelwise<PoolingType::MAX, half>;
template class PoolChannelwise<PoolingType::AVG, half>;
template class PoolChannelwise<PoolingType::SUM, half>;

} // namespace popnn
