// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point formats of any number of bits, for trying out: values are
// rounded to those that a format has, and kept as floats or halves.
//
//     using namespace popfloat::experimental;
//     GfloatCast cast(GfloatCast::FormatConfig(3, 4, 7, true, false),
//                     GfloatCast::RoundConfig(RoundType::RN));
//     poplar::Tensor rounded = cast.castNativeToGfloat(graph, t, prog);

#ifndef POPULUS_POPFLOAT_EXPERIMENTAL_CASTTOGFLOAT_HPP
#define POPULUS_POPFLOAT_EXPERIMENTAL_CASTTOGFLOAT_HPP

#include <popfloat/experimental/GfloatExpr.hpp>

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popfloat {
namespace experimental {

class GfloatCast {
public:
  /// A sign, \p expBits bits of exponent with bias \p expBias, and \p manBits
  /// bits of mantissa. With \p enDenorm the smallest exponent has denormal
  /// numbers, else only 0. With \p enInf the largest exponent has infinities
  /// and NaN, as IEEE's formats do; else ordinary numbers, but for one.
  struct FormatConfig {
    FormatConfig(unsigned manBits, unsigned expBits, int expBias, bool enDenorm,
                 bool enInf)
        : manBits(manBits), expBits(expBits), expBias(expBias),
          enDenorm(enDenorm), enInf(enInf) {}

    unsigned manBits, expBits;
    int expBias;
    bool enDenorm, enInf;

    /// The exponents of the smallest normal and the largest numbers.
    int minExponent() const { return 1 - expBias; }
    int maxExponent() const;
    /// The largest number.
    double maxValue() const;
  };

  struct RoundConfig {
    RoundConfig(RoundType roundMode) : roundMode(roundMode) {}

    RoundType roundMode;
  };

  /// Values too large for the format become NaN if \p enNanoo is set. Otherwise
  /// they become an infinity if the format has them, and the largest number if
  /// not. Throws poplibs_error for formats that a float cannot hold: at most 23
  /// bits of mantissa and 8 of exponent.
  GfloatCast(const FormatConfig &formatCfg, const RoundConfig &roundCfg,
             bool enNanoo = false, SpecType gfloatType = SpecType::AUTO);

  const FormatConfig &getFormatConfig() const { return formatCfg; }
  /// Element type of the result of castNativeToGfloat.
  poplar::Type getGFStorageType() const;

  /// Values of float or half, rounded to the format, of type
  /// getGFStorageType().
  poplar::Tensor
  castNativeToGfloat(poplar::Graph &graph, const poplar::Tensor &input,
                     poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {}) const;
  /// The same in the type of the values.
  void castNativeToGfloatInPlace(
      poplar::Graph &graph, const poplar::Tensor &input,
      poplar::program::Sequence &prog,
      const poplar::DebugContext &debugContext = {}) const;
  /// Rounded values as floats or halves.
  poplar::Tensor
  castGfloatToNative(poplar::Graph &graph, const poplar::Tensor &input,
                     const poplar::Type &nativeType,
                     poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {}) const;

private:
  void addCast(poplar::Graph &graph, const poplar::Tensor &in,
               const poplar::Tensor &out, poplar::program::Sequence &prog,
               const poplar::DebugContext &dc) const;

  FormatConfig formatCfg;
  RoundConfig roundCfg;
  bool enNanoo;
  SpecType gfloatType;
};

} // namespace experimental
} // namespace popfloat

#endif
