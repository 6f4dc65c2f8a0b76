// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that read, or add to, the points of rectangles of one channel of
// images. All is computed in float.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include <cmath>
#include <limits>

using namespace poplar;

namespace popnn {

/// Division of one coordinate of a rectangle into bins and points.
struct RoiAxis {
  float start, step;
  unsigned points;

  static RoiAxis make(float low, float high, float scale, bool halfPixel,
                      unsigned bins, unsigned samplingRatio) {
    const float start = low * scale - (halfPixel ? 0.5f : 0.0f);
    float size = (high - low) * scale;
    if (!halfPixel && size < 1.0f)
      size = 1.0f;
    const float bin = size / static_cast<float>(bins);
    RoiAxis axis;
    axis.points = samplingRatio;
    if (samplingRatio == 0)
      axis.points = bin > 0 ? static_cast<unsigned>(std::ceil(bin)) : 0;
    axis.start = start;
    axis.step = axis.points ? bin / static_cast<float>(axis.points) : 0.0f;
    return axis;
  }

  /// Coordinate of point \p i of all bins.
  float at(unsigned i) const {
    return start + (static_cast<float>(i) + 0.5f) * step;
  }
};

/// The two pixels around a coordinate, and their weights.
struct RoiPair {
  unsigned low, high;
  float ofLow, ofHigh;
  bool inside;

  static RoiPair around(float x, unsigned extent) {
    RoiPair pair;
    const float end = static_cast<float>(extent);
    pair.inside = !(x < -1.0f) && !(x > end);
    const float last = end - 1.0f;
    const float near = x < 0.0f ? 0.0f : (x > last ? last : x);
    pair.low = static_cast<unsigned>(near);
    pair.high = pair.low + 1 < extent ? pair.low + 1 : pair.low;
    pair.ofHigh = near - static_cast<float>(pair.low);
    pair.ofLow = 1.0f - pair.ofHigh;
    return pair;
  }
};

/// Calls visit(bin row, bin column, rows, columns) for each point inside of the
/// image, and returns the number of points in a bin.
template <class Visit>
inline unsigned forRoiPoints(const float *roi, float scale, bool halfPixel,
                             unsigned samplingRatio, unsigned height,
                             unsigned width, unsigned binRows,
                             unsigned binColumns, Visit visit) {
  const RoiAxis y =
      RoiAxis::make(roi[1], roi[3], scale, halfPixel, binRows, samplingRatio);
  const RoiAxis x = RoiAxis::make(roi[0], roi[2], scale, halfPixel, binColumns,
                                  samplingRatio);
  for (unsigned r = 0; r != binRows; ++r)
    for (unsigned i = 0; i != y.points; ++i) {
      const RoiPair rows = RoiPair::around(y.at(r * y.points + i), height);
      if (!rows.inside)
        continue;
      for (unsigned c = 0; c != binColumns; ++c)
        for (unsigned j = 0; j != x.points; ++j) {
          const RoiPair columns =
              RoiPair::around(x.at(c * x.points + j), width);
          if (columns.inside)
            visit(r, c, rows, columns);
        }
    }
  return y.points * x.points;
}

/// The bins [rectangles][rows][columns] of one channel [images][height][width].
/// `sums` has room for the bins of a rectangle.
template <class T> class RoiAlign : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> images;
  Input<Vector<float, VectorLayout::ONE_PTR>> rois;
  Input<Vector<unsigned>> imageOf;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  Output<Vector<float, VectorLayout::ONE_PTR>> sums;
  unsigned numImages;
  unsigned height, width;
  unsigned binRows, binColumns;
  unsigned samplingRatio;
  float scale;
  bool halfPixel;

  bool compute() {
    const unsigned bins = binRows * binColumns;
    for (unsigned n = 0; n != imageOf.size(); ++n) {
      const bool exists = imageOf[n] < numImages;
      for (unsigned b = 0; b != bins; ++b)
        sums[b] = 0.0f;
      const T *image = &images[0] + (exists ? imageOf[n] : 0) * height * width;
      unsigned points = 0;
      if (exists)
        points = forRoiPoints(
            &rois[4 * n], scale, halfPixel, samplingRatio, height, width,
            binRows, binColumns,
            [&](unsigned r, unsigned c, const RoiPair &y, const RoiPair &x) {
              const T *low = image + y.low * width;
              const T *high = image + y.high * width;
              sums[r * binColumns + c] +=
                  y.ofLow * (x.ofLow * float(low[x.low]) +
                             x.ofHigh * float(low[x.high])) +
                  y.ofHigh * (x.ofLow * float(high[x.low]) +
                              x.ofHigh * float(high[x.high]));
            });
      const float share = points ? 1.0f / static_cast<float>(points) : 0.0f;
      for (unsigned b = 0; b != bins; ++b)
        out[n * bins + b] = T(exists ? sums[b] * share
                                     : std::numeric_limits<float>::quiet_NaN());
    }
    return true;
  }
};

/// The gradient [height][width] of one channel of one image from those of the
/// bins of all rectangles.
template <class T> class RoiAlignGrad : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> bins;
  Input<Vector<float, VectorLayout::ONE_PTR>> rois;
  Input<Vector<unsigned>> imageOf;
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  unsigned image;
  unsigned height, width;
  unsigned binRows, binColumns;
  unsigned samplingRatio;
  float scale;
  bool halfPixel;

  bool compute() {
    for (unsigned i = 0; i != height * width; ++i)
      out[i] = 0.0f;
    for (unsigned n = 0; n != imageOf.size(); ++n) {
      if (imageOf[n] != image)
        continue;
      // The number of points is known before the first is visited.
      const float *roi = &rois[4 * n];
      const unsigned points = RoiAxis::make(roi[1], roi[3], scale, halfPixel,
                                            binRows, samplingRatio)
                                  .points *
                              RoiAxis::make(roi[0], roi[2], scale, halfPixel,
                                            binColumns, samplingRatio)
                                  .points;
      if (points == 0)
        continue;
      const float share = 1.0f / static_cast<float>(points);
      const T *top = &bins[n * binRows * binColumns];
      forRoiPoints(
          roi, scale, halfPixel, samplingRatio, height, width, binRows,
          binColumns,
          [&](unsigned r, unsigned c, const RoiPair &y, const RoiPair &x) {
            const float g = float(top[r * binColumns + c]) * share;
            out[y.low * width + x.low] += g * y.ofLow * x.ofLow;
            out[y.low * width + x.high] += g * y.ofLow * x.ofHigh;
            out[y.high * width + x.low] += g * y.ofHigh * x.ofLow;
            out[y.high * width + x.high] += g * y.ofHigh * x.ofHigh;
          });
    }
    return true;
  }
};

template class RoiAlign<float>;
template class RoiAlign<half>;
template class RoiAlignGrad<float>;
template class RoiAlignGrad<half>;

} // namespace popnn
