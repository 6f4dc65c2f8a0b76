// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MelWeightMatrix: triangular filters that are equally wide on the mel scale,
// as a matrix for spectra. Its inputs are constants.

#include "lib/PopART/Ops/Constants/ConstantOnlyOp.h"

#include <fmt/format.h>

#include <cmath>

namespace populus::popir {

namespace {

double toMel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double toHertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

class MelWeightMatrix final : public ConstantOnlyOp {
public:
  using ConstantOnlyOp::ConstantOnlyOp;

  std::vector<TensorInfo> infer() const override {
    for (Input input : {Rate, LowerEdge, UpperEdge})
      scalar(input); // has to be known
    const auto type =
        fromOnnx(static_cast<int>(attributes().getInt("output_datatype", 1)));
    if (!type)
      failUnsupported("its output_datatype is not supported");
    const double bands = scalar(Bands), length = scalar(Length);
    if (!(bands >= 1 && bands <= 1 << 20 && length >= 1 && length <= 1 << 20))
      failInput(fmt::format("{} bands of a transform of {} numbers are not "
                            "possible",
                            bands, length));
    return {{*type,
             {static_cast<std::int64_t>(length) / 2 + 1,
              static_cast<std::int64_t>(bands)}}};
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    const TensorInfo info = infer()[0];
    const std::int64_t rows = info.shape[0], bands = info.shape[1];
    HostTensor result({DataType::Double, info.shape});
    auto set = [&](std::int64_t row, std::int64_t band, double value) {
      if (row < 0 || row >= rows)
        failInput("its edges are not frequencies of the spectrum");
      result.as<double>()[row * bands + band] = value;
    };
    for (std::int64_t band = 0; band != bands; ++band) {
      const std::int64_t lower = edge(band, bands),
                         centre = edge(band + 1, bands),
                         upper = edge(band + 2, bands);
      if (lower == centre)
        set(centre, band, 1);
      for (std::int64_t i = lower; i <= centre && lower != centre; ++i)
        set(i, band,
            static_cast<double>(i - lower) /
                static_cast<double>(centre - lower));
      for (std::int64_t i = centre; i < upper; ++i)
        set(i, band,
            static_cast<double>(upper - i) /
                static_cast<double>(upper - centre));
    }
    return std::vector{result.convertedTo(info.type)};
  }

private:
  enum Input : std::size_t { Bands, Length, Rate, LowerEdge, UpperEdge };

  double scalar(Input index) const {
    const std::vector<double> values =
        constantInput(index, "parameter").toDoubles();
    if (values.size() != 1)
      failInput("its parameters are not scalars");
    return values[0];
  }

  /// The line of the spectrum at which a band begins. The step is a part of all
  /// edges, as ONNX has it.
  std::int64_t edge(std::int64_t i, std::int64_t bands) const {
    const double lowest = toMel(scalar(LowerEdge));
    const double step =
        (toMel(scalar(UpperEdge)) - lowest) / static_cast<double>(bands + 2);
    const double hertz = toHertz(lowest + static_cast<double>(i) * step);
    const double line = std::floor((scalar(Length) + 1) * hertz / scalar(Rate));
    if (!(std::abs(line) < 1e9))
      failInput("its sample rate is not possible");
    return static_cast<std::int64_t>(line);
  }
};

const RegisterOp<MelWeightMatrix> registration("MelWeightMatrix", {17});

} // namespace

} // namespace populus::popir
