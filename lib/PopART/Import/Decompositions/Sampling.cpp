// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sampling of images in forms that the classes of GridSample and RoiAlign lack:
// GridSample of volumes, and RoiAlign with numbers of points that depend on
// run-time rectangles.
//
// RoiAlign. A bin is the mean of points that are evenly spread over it, each
// the mean of the pixels around it. Rows and columns are independent of each
// other, so a bin's value is a product with two matrices,
//
//     bins[i, j] = sum over y, x of  rows[i, y] * columns[j, x] * image[y, x]
//
// where rows[i, y] is the mean of the weights that the points of bin i give to
// row y. Neighbouring points are at most one pixel apart and, if there are
// several, more than half a pixel. So at most four of them are near a pixel,
// however large the rectangle is. These are found from the distance, and the
// result is exact for any rectangle.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

namespace populus::popir {

namespace {

// Coordinates stay float32: --precision fp16 does not convert Double.
constexpr DataType Coordinates = DataType::Double;

Value &counting(Expansion &e, std::int64_t count, const Shape &shape) {
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return e.constant(
      HostTensor::ofInts(numbers).convertedTo(Coordinates).reshaped(shape));
}

Value &clipped(Expansion &e, Value &x, double least, double most) {
  return e.op("Clip", {&x, &e.scalar(x.info.type, least),
                       &e.scalar(x.info.type, most)});
}

/// 1 where `low` <= x <= `high`, else 0.
Value &isBetween(Expansion &e, Value &x, double low, double high) {
  Value &above = e.op("GreaterOrEqual", {&x, &e.scalar(x.info.type, low)});
  Value &below = e.op("LessOrEqual", {&x, &e.scalar(x.info.type, high)});
  return e.cast(e.op("And", {&above, &below}), x.info.type);
}

/// 1 - |distance|, or 0.
Value &nearness(Expansion &e, Value &distance) {
  return e.op("Relu", {&e.from(1, e.op("Abs", {&distance}))});
}

class RoiExpansion {
public:
  explicit RoiExpansion(Expansion &e)
      : e(e), images(e.shape(0)), rois(e.shape(1)) {
    if (images.size() != 4 || rois.size() != 2 || rois[1] != 4 ||
        e.shape(2) != Shape{rois[0]} || images[2] < 1 || images[3] < 1)
      e.failInput(fmt::format("images {}, rectangles {} and batch indices {} "
                              "do not go together",
                              toString(images), toString(rois),
                              toString(e.shape(2))));
  }

  Value &run() {
    const std::int64_t channels = images[1], width = images[3];
    const std::int64_t up = bins(Rows), across = bins(Columns);
    // [rectangles, bins, rows of all images] times [rows, columns * channels]
    Value &rows = ofAllImages(weights(Rows));
    const std::int64_t allRows = images[0] * images[2];
    Value &table = e.reshape(e.transpose(e.input(0), {0, 2, 3, 1}),
                             {allRows, width * channels});
    Value &bands = e.matMul(
        e.reshape(e.cast(rows, e.type(0)), {rois[0] * up, allRows}), table);
    // [rectangles, bins across, columns] times [columns, bins up * channels]
    Value &turned =
        e.reshape(e.transpose(e.reshape(bands, {rois[0], up, width, channels}),
                              {0, 2, 1, 3}),
                  {rois[0], width, up * channels});
    Value &sums = e.matMul(e.cast(weights(Columns), e.type(0)), turned);
    return e.transpose(e.reshape(sums, {rois[0], across, up, channels}),
                       {0, 3, 2, 1});
  }

private:
  /// Rectangles are [x, y, x, y].
  enum Dimension { Columns = 0, Rows = 1 };

  std::int64_t bins(Dimension which) const {
    const char *name = which == Rows ? "output_height" : "output_width";
    const std::int64_t count = e.attributes().getInt(name, 1);
    if (count < 1 || count > (1 << 16))
      e.failInput(fmt::format("its {} of {} is not possible", name, count));
    return count;
  }
  bool isHalfPixel() const {
    return e.version() >= 16 &&
           e.attributes().getString("coordinate_transformation_mode",
                                    "half_pixel") == "half_pixel";
  }

  /// A side of the rectangles in pixels, [rectangles, 1, 1].
  Value &side(std::int64_t column) const {
    Value &all = e.cast(e.input(1), Coordinates);
    Value &scaled =
        e.mul(e.reshape(e.slice(all, 1, column, column + 1), {rois[0], 1, 1}),
              e.attributes().getFloat("spatial_scale", 1));
    return isHalfPixel() ? e.add(scaled, -0.5) : scaled;
  }

  /// [rectangles, bins, extent]
  Value &weights(Dimension which) const {
    const std::int64_t extent = images[which == Rows ? 2 : 3];
    Value &begin = side(which);
    Value *size = &e.sub(side(which + 2), begin);
    if (!isHalfPixel())
      size = &e.op("Max", {size, &e.scalar(Coordinates, 1)});
    Value &bin =
        e.div(*size, e.scalar(Coordinates, static_cast<double>(bins(which))));
    // An inverted rectangle has no points, and the value 0.
    Value &points = e.op("Ceil", {&bin});
    Value &count = e.op("Max", {&points, &e.scalar(Coordinates, 1)});
    Value &distance = e.div(bin, count);
    Value &hasPoints =
        isBetween(e, points, 1, std::numeric_limits<float>::max());
    Value &start =
        e.add(begin, e.mul(counting(e, bins(which), {1, bins(which), 1}), bin));
    Value &pixel = counting(e, extent, {1, 1, extent});
    // The number of the first point that may be near a pixel.
    Value &room = e.op("Max", {&distance, &e.scalar(Coordinates, 0.5)});
    Value &first = e.op(
        "Floor", {&e.add(e.div(e.sub(e.add(pixel, -1), start), room), -0.5)});
    Value *sum = nullptr;
    for (int i = 0; i != MostNear; ++i) {
      Value &number = e.add(first, i);
      Value &exists = isNumber(number, count);
      Value &point = e.add(start, e.mul(e.add(number, 0.5), distance));
      Value &part = e.mul(exists, weightAt(point, pixel, extent));
      sum = sum ? &e.add(*sum, part) : &part;
    }
    return e.mul(e.div(*sum, count), hasPoints);
  }

  /// Several points are more than half a pixel apart, so four are within two
  /// pixels; one more on either side is for rounding.
  static constexpr int MostNear = 6;

  /// Returns 1 if 0 <= number < count, else 0.
  Value &isNumber(Value &number, Value &count) const {
    Value &isThere =
        e.op("GreaterOrEqual", {&number, &e.scalar(Coordinates, 0)});
    Value &isBelow = e.op("Less", {&number, &count});
    return e.cast(e.op("And", {&isThere, &isBelow}), Coordinates);
  }

  /// The weight of a pixel at a point. Points more than a pixel outside count
  /// as zero, other points outside as the border.
  Value &weightAt(Value &point, Value &pixel, std::int64_t extent) const {
    const auto last = static_cast<double>(extent - 1);
    Value &moved = clipped(e, point, 0, last);
    return e.mul(nearness(e, e.sub(pixel, moved)),
                 isBetween(e, point, -1, last + 1));
  }

  /// [rectangles, bins, images, extent]: zero for other images.
  Value &ofAllImages(Value &rows) const {
    if (images[0] == 1)
      return rows;
    const Shape shape = rows.info.shape;
    Value &wanted =
        e.reshape(e.cast(e.input(2), Coordinates), {rois[0], 1, 1, 1});
    Value &isImage = e.cast(
        e.op("Equal", {&counting(e, images[0], {1, 1, images[0], 1}), &wanted}),
        Coordinates);
    return e.mul(isImage, e.unsqueeze(rows, {2}));
  }

  Expansion &e;
  const Shape images, rois;
};

std::vector<Value *> roiAlign(Expansion &e) {
  if (e.attributes().getInt("sampling_ratio", 0) != 0 ||
      e.input(1).isConstant())
    return {};
  if (e.attributes().getString("mode", "avg") == "max")
    e.failUnsupported("with mode \"max\" and a sampling_ratio of 0 the number "
                      "of points depends on the rectangles, which are not "
                      "constant; export the model with a sampling_ratio");
  return {&RoiExpansion(e).run()};
}

/// GridSample of volumes: [N, C, D, H, W] at the points [N, D', H', W', 3],
/// whose coordinates are x, y, z; and of any other number of dimensions.
class VolumeExpansion {
public:
  explicit VolumeExpansion(Expansion &e)
      : e(e), volume(e.shape(0)), grid(e.shape(1)) {
    bool fits = volume.size() > 2 && grid.size() == volume.size() &&
                grid[0] == volume[0] &&
                grid.back() == static_cast<std::int64_t>(dims());
    for (std::size_t i = 0; fits && i != dims(); ++i)
      fits = volume[i + 2] > 0;
    if (!fits)
      e.failInput(fmt::format("volumes {} and a grid {} do not go together; "
                              "they are like [N, C, D, H, W] and "
                              "[N, D', H', W', 3]",
                              toString(volume), toString(grid)));
    if (!isLinear() && mode() != "nearest")
      e.failUnsupported(fmt::format(
          "its mode \"{}\" is for images; of volumes linear and nearest are "
          "supported",
          mode()));
    if (padding() != "zeros" && padding() != "border" &&
        padding() != "reflection")
      e.failUnsupported(
          fmt::format("its padding_mode \"{}\" is not supported", padding()));
  }

  Value &run() {
    points = &e.cast(e.input(1), Coordinates);
    const std::int64_t count =
        numElements(Shape(volume.begin() + 2, volume.end()));
    std::vector<std::int64_t> last = {0}, second = {0, axis(dims() + 1)};
    for (std::size_t i = 0; i != dims(); ++i) {
      last.push_back(axis(i + 2));
      second.push_back(axis(i + 1));
    }
    last.push_back(1);
    table = &e.reshape(e.transpose(e.input(0), last),
                       {volume[0] * count, volume[1]});
    Shape ofImages(volume.size(), 1);
    ofImages[0] = volume[0];
    Value &images =
        e.mul(e.cast(counting(e, volume[0], ofImages), DataType::Int32),
              static_cast<double>(count));
    addParts(0, images, nullptr);
    Shape shape = grid;
    shape.back() = volume[1];
    return e.transpose(e.reshape(*sum, shape), second);
  }

private:
  std::size_t dims() const { return volume.size() - 2; }
  static std::int64_t axis(std::size_t dim) {
    return static_cast<std::int64_t>(dim);
  }
  std::string mode() const {
    return e.attributes().getString("mode", "linear");
  }
  std::string padding() const {
    return e.attributes().getString("padding_mode", "zeros");
  }
  bool isLinear() const { return mode() == "linear" || mode() == "bilinear"; }
  bool areCornersCentres() const {
    return e.attributes().getInt("align_corners", 0) != 0;
  }
  double extent(std::size_t dim) const {
    return static_cast<double>(volume[dim + 2]);
  }
  /// The coordinate at which points are reflected.
  double edge() const { return areCornersCentres() ? 0 : -0.5; }

  /// The points' positions along a dimension, in pixels: [N, D', H', W', 1].
  Value &place(std::size_t dim) const {
    const std::int64_t column = axis(dims() - 1 - dim);
    Value &given = e.slice(*points, axis(dims() + 1), column, column + 1);
    const double last = extent(dim) - 1;
    Value &scaled = areCornersCentres()
                        ? e.mul(e.add(given, 1), last / 2)
                        : e.add(e.mul(e.add(given, 1), extent(dim) / 2), -0.5);
    if (padding() == "border")
      return clipped(e, scaled, 0, last);
    return padding() == "reflection" ? reflected(scaled, dim) : scaled;
  }

  /// Reflected at both ends until it lies between them.
  Value &reflected(Value &x, std::size_t dim) const {
    const double low = edge(), room = extent(dim) - 1 - 2 * edge();
    if (room <= 0)
      return e.mul(x, 0);
    Value &distance = e.op("Abs", {&e.add(x, -low)});
    Value &turns = e.op("Floor", {&e.mul(distance, 1 / (2 * room))});
    Value &rest = e.sub(distance, e.mul(turns, 2 * room));
    Value &folded = e.op("Min", {&rest, &e.from(2 * room, rest)});
    return clipped(e, e.add(folded, low), 0, extent(dim) - 1);
  }

  /// The pixels beside the points along a dimension and the following ones.
  void addParts(std::size_t dim, Value &before, Value *weight) {
    if (dim == dims())
      return addPart(before, weight);
    Value &at = place(dim);
    if (!isLinear()) {
      addPlace(dim, e.op("Round", {&at}), nullptr, before, weight);
      return;
    }
    Value &low = e.op("Floor", {&at});
    Value &part = e.sub(at, low);
    addPlace(dim, low, &e.from(1, part), before, weight);
    addPlace(dim, e.add(low, 1), &part, before, weight);
  }

  void addPlace(std::size_t dim, Value &index, Value *share, Value &before,
                Value *weight) {
    const double last = extent(dim) - 1;
    Value *all = both(weight, share);
    if (padding() == "zeros")
      all = both(all, &isBetween(e, index, 0, last));
    double scale = 1;
    for (std::size_t i = dim + 1; i != dims(); ++i)
      scale *= extent(i);
    Value &step =
        e.mul(e.cast(clipped(e, index, 0, last), DataType::Int32), scale);
    addParts(dim + 1, e.add(before, step), all);
  }

  Value *both(Value *a, Value *b) const {
    return !a ? b : !b ? a : &e.mul(*a, *b);
  }

  void addPart(Value &row, Value *weight) {
    const std::int64_t count = numElements(grid) / grid.back();
    Value &rows = e.op("Gather", {table, &e.reshape(row, {count})},
                       {{"axis", std::int64_t(0)}});
    Value &part =
        weight ? e.mul(rows,
                       e.reshape(e.cast(*weight, rows.info.type), {count, 1}))
               : rows;
    sum = sum ? &e.add(*sum, part) : &part;
  }

  Expansion &e;
  const Shape volume, grid;
  Value *points = nullptr, *table = nullptr, *sum = nullptr;
};

std::vector<Value *> gridSample(Expansion &e) {
  if (e.input(0).info.rank() == 4)
    return {}; // the class has images
  return {&VolumeExpansion(e).run()};
}

const RegisterDecomposition decompositions[] = {
    {"RoiAlign", {10, 16, 22}, roiAlign},
    {"GridSample", {16, 20, 22}, gridSample}};

} // namespace

} // namespace populus::popir
