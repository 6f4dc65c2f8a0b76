// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile's block of a convolution in which each channel is a group of its own.
// Channels lie side by side in groups of 32 bytes, so that the vector
// instructions work on several of them at once. Which elements of the input a
// result is made of has been worked out in advance: vertices walk along lists
// of taps, of which there is one for the inner columns and one for each way in
// which padding cuts the kernel off.

#include "lib/PopLibs/poputil/Opaque.h"
#include "lib/PopLibs/poputil/TapVertex.h"

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;
using namespace poplibs;

namespace poplin {
namespace {

/// Sums of products of four channels.
constexpr unsigned AtOnce = ChannelsOfBlock;

#ifdef __IPU__
using Float2 = float __attribute__((ext_vector_type(2)));
using Half4 = half __attribute__((ext_vector_type(4)));

/// An operand of whose elements some are at a distance in bytes. The second
/// half of four floats has an address of its own, so that no addition is needed
/// to load it.
struct Operand {
  const char *low, *high;

  explicit Operand(const void *at)
      : low(static_cast<const char *>(at)), high(low + sizeof(Float2)) {
    asm("" : "+r"(high));
  }
};

template <class T> struct Sums;
template <> struct Sums<float> {
  Float2 low, high;

  void begin(const float *init) {
    low = reinterpret_cast<const Float2 *>(init)[0];
    high = reinterpret_cast<const Float2 *>(init)[1];
  }
  void add(const Operand &x, unsigned atX, const Operand &w, unsigned atW) {
    low += load(x.low + atX) * load(w.low + atW);
    high += load(x.high + atX) * load(w.high + atW);
  }
  void end(float *to) const {
    reinterpret_cast<Float2 *>(to)[0] = low;
    reinterpret_cast<Float2 *>(to)[1] = high;
  }

private:
  static Float2 load(const char *at) {
    return *reinterpret_cast<const Float2 *>(at);
  }
};
/// The accumulators have them. Products are rounded to halves.
template <> struct Sums<half> {
  void begin(const float *init) {
    const Float2 *pairs = reinterpret_cast<const Float2 *>(init);
    __builtin_ipu_f32v2gina(pairs[0], 0);
    __builtin_ipu_f32v2gina(pairs[1], 0);
    __builtin_ipu_f32v2gina(Float2{0, 0}, 0);
    __builtin_ipu_f32v2gina(Float2{0, 0}, 0);
  }
  void add(const Operand &x, unsigned atX, const Operand &w, unsigned atW) {
    __builtin_ipu_f16v4acc(load(x.low + atX) * load(w.low + atW));
  }
  void end(half *to) const {
    const Float2 low = __builtin_ipu_f32v2gina(Float2{0, 0}, 0);
    const Float2 high = __builtin_ipu_f32v2gina(Float2{0, 0}, 0);
    *reinterpret_cast<Half4 *>(to) =
        Half4{half(low[0]), half(low[1]), half(high[0]), half(high[1])};
  }

private:
  static Half4 load(const char *at) {
    return *reinterpret_cast<const Half4 *>(at);
  }
};
#else
using Operand = const void *;

template <class T> struct Sums {
  float sums[AtOnce];

  void begin(const float *init) {
    for (unsigned i = 0; i != AtOnce; ++i)
      sums[i] = init[i];
  }
  void add(Operand x, unsigned atX, Operand w, unsigned atW) {
    for (unsigned i = 0; i != AtOnce; ++i) {
      const T product = T(element(x, atX, i) * element(w, atW, i));
      sums[i] += float(product);
    }
  }
  void end(T *to) const {
    for (unsigned i = 0; i != AtOnce; ++i)
      to[i] = T(sums[i]);
  }

private:
  static float element(Operand from, unsigned at, unsigned i) {
    return float(
        reinterpret_cast<const T *>(static_cast<const char *>(from) + at)[i]);
  }
};
#endif

} // namespace

template <class T> class ConvChannelwise : public TapVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in; // [group][position][channel]
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> weights;  // [group][tap][channel]
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> init; // [group][channel]
  Output<Vector<T, VectorLayout::ONE_PTR, 8>> out;
  unsigned numTaps; // of the kernel

  bool compute(unsigned workerId) {
    forEachSegment(workerId, [this](const TapSegment &segment)
                                 __attribute__((always_inline)) {
                                   opaque(this)->computeSegment(segment);
                                 });
    return true;
  }

private:
  static constexpr unsigned Channels = ChannelGroupBytes / sizeof(T);

  struct TapList {
    const Tap *taps;
    unsigned count;
  };

  __attribute__((always_inline)) void
  computeSegment(const TapSegment &segment) {
    const T *x = &in[segment.input * Channels];
    T *y = &out[segment.result * Channels];
    const unsigned group = segment.group;
    const T *w = &weights[group * numTaps * Channels];
    const float *first = &init[group * Channels];
    const TapList list{reinterpret_cast<const Tap *>(&taps[0]) + segment.list,
                       segment.taps};
    const unsigned channel = segment.firstBlock * AtOnce;
    if (segment.blocks == Channels / AtOnce)
      computeResults<Channels>(x, w, first, y, list, segment.count);
    else
      computeResults<AtOnce>(x + channel, w + channel, first + channel,
                             y + channel, list, segment.count);
  }

  /// Results of so many channels, one after the other.
  template <unsigned Count>
  __attribute__((always_inline)) void
  computeResults(const T *x, const T *w, const float *first, T *y,
                 const TapList &list, unsigned left) {
    const unsigned fromStep = inStep * Channels, toStep = outStep * Channels;
    for (; left != 0; --left) {
      for (unsigned channel = 0; channel != Count; channel += AtOnce)
        computeSums(x + channel, w + channel, first + channel, y + channel,
                    list);
      x += fromStep;
      y += toStep;
    }
  }

  __attribute__((always_inline)) static void computeSums(const T *x, const T *w,
                                                         const float *first,
                                                         T *y,
                                                         const TapList &list) {
    const Operand inputs(x), factors(w);
    Sums<T> sums;
    sums.begin(first);
    const Tap *tap = list.taps;
    for (unsigned left = list.count; left != 0; --left, ++tap)
      sums.add(inputs, tap->input, factors, tap->weights);
    sums.end(y);
  }
};

template class ConvChannelwise<float>;
template class ConvChannelwise<half>;

} // namespace poplin
