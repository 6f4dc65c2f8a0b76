// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile's block of a convolution in which each channel is a group of its own.
// Channels lie side by side in groups of 32 bytes, so that the vector
// instructions work on several of them at once. Which elements of the input a
// result is made of has been worked out in advance: vertices walk along lists
// of taps, of which there is one for the inner columns and one for each way in
// which padding cuts the kernel off.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace poplin {
namespace {

/// Sums of products of four channels.
constexpr unsigned AtOnce = 4;

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

/// Worker w computes the segments [starts[w], starts[w + 1]): runs of results
/// whose windows have the same form. A segment has six numbers: the place of
/// the first tap's input and of the first result, in 32 bytes; the number of
/// results; the group of channels; the first entry of its list of taps and the
/// number of them. An entry is the distance in bytes of the input from that of
/// the first tap, and of the weights from those of the group.
template <class T> class ConvChannelwise : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in; // [group][position][channel]
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> weights;  // [group][tap][channel]
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> init; // [group][channel]
  Output<Vector<T, VectorLayout::ONE_PTR, 8>> out;
  Vector<unsigned short, VectorLayout::ONE_PTR> starts;
  Vector<unsigned short, VectorLayout::ONE_PTR> segments;
  Vector<unsigned short, VectorLayout::ONE_PTR> taps;
  unsigned numTaps; // of the kernel
  /// From a result to the next one, of the input and of the results, in 32
  /// bytes.
  unsigned inStep;
  unsigned outStep;

  bool compute(unsigned workerId) {
    for (unsigned w = workerId; w < Workers; w += numWorkers())
      for (unsigned s = starts[w]; s != starts[w + 1]; ++s)
        computeSegment(&segments[SegmentFields * s]);
    return true;
  }

private:
  static constexpr unsigned Workers = 6, SegmentFields = 6;
  static constexpr unsigned Channels = 32 / sizeof(T);

  struct TapList {
    const unsigned short *entries;
    unsigned count;
  };

  void computeSegment(const unsigned short *segment) {
    const T *x = &in[segment[0] * Channels];
    T *y = &out[segment[1] * Channels];
    const unsigned group = segment[3];
    const T *w = &weights[group * numTaps * Channels];
    const float *first = &init[group * Channels];
    const TapList list{&taps[2 * segment[4]], segment[5]};
    for (unsigned left = segment[2]; left != 0; --left) {
      for (unsigned channel = 0; channel != Channels; channel += AtOnce)
        computeSums(x + channel, w + channel, first + channel, y + channel,
                    list);
      x += inStep * Channels;
      y += outStep * Channels;
    }
  }

  static void computeSums(const T *x, const T *w, const float *first, T *y,
                          const TapList &list) {
    const Operand inputs(x), factors(w);
    Sums<T> sums;
    sums.begin(first);
    const unsigned short *tap = list.entries;
    for (unsigned left = list.count; left != 0; --left) {
      const unsigned atX = *tap++, atW = *tap++;
      sums.add(inputs, atX, factors, atW);
    }
    sums.end(y);
  }
};

template class ConvChannelwise<float>;
template class ConvChannelwise<half>;

} // namespace poplin
