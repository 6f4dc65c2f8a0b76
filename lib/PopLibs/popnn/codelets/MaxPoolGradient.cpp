// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a maximum over windows, for a tile's block of channels that
// lie side by side in groups of 32 bytes. An element gets the gradients of all
// windows whose largest value it has; the lists of the windows that an element
// is in were made in advance. Sums are kept in float.

#include "lib/PopLibs/poputil/Opaque.h"
#include "lib/PopLibs/poputil/TapVertex.h"

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#ifdef __IPU__
#include <ipu_builtins.h>
#endif

using namespace poplar;
using namespace poplibs;

namespace popnn {
namespace {

/// Four channels of an element: what they get from the windows.
constexpr unsigned AtOnce = ChannelsOfBlock;

template <class T> struct Share;

#ifdef __IPU__
template <> struct Share<float> {
  const float2 low, high;
  float2 lowSum{0, 0}, highSum{0, 0};

  explicit Share(const float *x)
      : low(reinterpret_cast<const float2 *>(x)[0]),
        high(reinterpret_cast<const float2 *>(x)[1]) {}
  void add(const char *largest, const char *gradient) {
    const auto *y = reinterpret_cast<const float2 *>(largest);
    const auto *dy = reinterpret_cast<const float2 *>(gradient);
    lowSum += __builtin_ipu_and_v2f32(__builtin_ipu_cmpeq(low, y[0]), dy[0]);
    highSum += __builtin_ipu_and_v2f32(__builtin_ipu_cmpeq(high, y[1]), dy[1]);
  }
  void end(float *to) const {
    reinterpret_cast<float2 *>(to)[0] = lowSum;
    reinterpret_cast<float2 *>(to)[1] = highSum;
  }
};

/// The accumulators have the sums.
template <> struct Share<half> {
  const half4 value;

  explicit Share(const half *x) : value(*reinterpret_cast<const half4 *>(x)) {
    for (unsigned i = 0; i != 4; ++i)
      __builtin_ipu_f32v2gina(float2{0, 0}, 0);
  }
  void add(const char *largest, const char *gradient) {
    const half4 mask =
        __builtin_ipu_cmpeq(value, *reinterpret_cast<const half4 *>(largest));
    __builtin_ipu_f16v4acc(__builtin_ipu_and_v4f16(
        mask, *reinterpret_cast<const half4 *>(gradient)));
  }
  void end(half *to) const {
    const float2 low = __builtin_ipu_f32v2gina(float2{0, 0}, 0);
    const float2 high = __builtin_ipu_f32v2gina(float2{0, 0}, 0);
    *reinterpret_cast<half4 *>(to) =
        half4{half(low[0]), half(low[1]), half(high[0]), half(high[1])};
  }
};
#else
template <class T> struct Share {
  const T *x;
  float sums[AtOnce] = {};

  explicit Share(const T *x) : x(x) {}
  void add(const char *largest, const char *gradient) {
    const T *y = reinterpret_cast<const T *>(largest);
    const T *dy = reinterpret_cast<const T *>(gradient);
    for (unsigned i = 0; i != AtOnce; ++i)
      sums[i] += float(x[i]) == float(y[i]) ? float(dy[i]) : 0.0f;
  }
  void end(T *to) const {
    for (unsigned i = 0; i != AtOnce; ++i)
      to[i] = T(sums[i]);
  }
};
#endif

} // namespace

/// In `in`, [group][window][channel], are the gradients of the windows, beside
/// them their results, and the elements beside what they get.
template <class T> class MaxPoolGradient : public TapVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> pooled;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> elements;
  Output<Vector<T, VectorLayout::ONE_PTR, 8>> out;

  bool compute(unsigned workerId) {
    forEachSegment(workerId, [this](const TapSegment &segment)
                                 __attribute__((always_inline)) {
                                   opaque(this)->addSegment(segment);
                                 });
    return true;
  }

private:
  static constexpr unsigned Channels = ChannelGroupBytes / sizeof(T);

  /// Elements one after the other, so many blocks of channels of each.
  __attribute__((always_inline)) void addSegment(const TapSegment &segment) {
    const unsigned first = segment.firstBlock * AtOnce;
    const unsigned window = segment.input * Channels + first;
    const unsigned element = segment.result * Channels + first;
    const Tap *list = reinterpret_cast<const Tap *>(&taps[0]) + segment.list;
    const char *gradient = reinterpret_cast<const char *>(&in[window]);
    const char *largest = reinterpret_cast<const char *>(&pooled[window]);
    const T *x = &elements[element];
    T *to = &out[element];
    const unsigned skip = Channels - segment.blocks * AtOnce;
    for (unsigned left = segment.count; left != 0; --left) {
      for (unsigned block = segment.blocks; block != 0; --block) {
        addWindows(x, gradient, largest, to, list, segment.taps);
        gradient += AtOnce * sizeof(T);
        largest += AtOnce * sizeof(T);
        x += AtOnce;
        to += AtOnce;
      }
      const unsigned step = (skip + (inStep - 1) * Channels) * sizeof(T);
      gradient += step;
      largest += step;
      x += skip + (outStep - 1) * Channels;
      to += skip + (outStep - 1) * Channels;
    }
  }

  __attribute__((always_inline)) static void
  addWindows(const T *x, const char *gradient, const char *largest, T *to,
             const Tap *tap, unsigned count) {
    Share<T> share(x);
    for (unsigned left = count; left != 0; --left) {
      share.add(largest + tap->input, gradient + tap->input);
      ++tap;
    }
    share.end(to);
  }
};

template class MaxPoolGradient<float>;
template class MaxPoolGradient<half>;

} // namespace popnn
