// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of a dilated input: transposed convolutions, and gradients of
// strided ones. Most of the dilated input is zeros. For example, a kernel of
// three taps over an input with dilation 2:
//
//    input     a 0 b 0 c
//    taps at   k0 k1 k2          even results use k0 and k2
//                k0 k1 k2        odd results use k1 only
//
// Results at a distance of the dilation form a phase. All results of a phase
// use the same taps, and the taps use adjacent elements. So the whole is a
// convolution of the undilated input with a smaller kernel, and with output
// channels for each phase. The results of the phases are interleaved. All of
// this is views, except for phases without taps if the kernel is smaller than
// the dilation.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CONVPHASES_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CONVPHASES_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>

#include <cstddef>
#include <optional>
#include <vector>

namespace poplin {

class ConvPhases {
public:
  /// Returns nothing if no input is dilated, or the geometry is not supported:
  /// strided results or a dilated kernel.
  static std::optional<ConvPhases> of(const ConvParams &params);

  /// Parameters of the convolution of the undilated input.
  const ConvParams &params() const { return inner; }

  poplar::Tensor input(const poplar::Tensor &in) const;
  poplar::Tensor weights(poplar::Graph &graph,
                         const poplar::Tensor &weights) const;
  /// Converts weights of params() to those of the whole convolution. Invalid if
  /// they are not a view of each other.
  poplar::Tensor wholeWeights(const poplar::Tensor &weights) const;
  /// Invalid if \p bias is, or if it has to be added to the output.
  poplar::Tensor bias(const poplar::Tensor &bias) const;
  /// \p out is the result of params(). The result of the whole convolution is
  /// not padded yet.
  poplar::Tensor output(poplar::Graph &graph, const poplar::Tensor &out,
                        poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext) const;

private:
  /// Along a dimension of the field.
  struct Dim {
    std::size_t dilation = 1;
    std::size_t kernel = 1, output = 1; // of the whole
    std::size_t taps = 1;               // of a phase
    /// Number of phases with a tap; the others come before them.
    std::size_t phases = 1;
    /// Results of the first phase are that far ahead of the whole's.
    std::size_t shift = 0;
    std::size_t results = 1; // of a phase

    std::size_t emptyPhases() const { return dilation - phases; }
  };

  explicit ConvPhases(const ConvParams &params) : outer(params) {}

  /// A depthwise convolution stays one: its phases come before its groups, and
  /// the input is repeated for each.
  bool isDepthwise() const;
  /// Groups that the phases are within, and channels within a phase.
  std::size_t groups() const { return isDepthwise() ? 1 : outer.numConvGroups; }
  std::size_t channels() const {
    return isDepthwise() ? outer.numConvGroups
                         : outer.outputChannelsPerConvGroup;
  }
  std::size_t numPhases() const;

  /// Returns false if there are no results, or no input element is used.
  bool addDim(unsigned dim);

  ConvParams outer, inner;
  std::vector<Dim> dims;
};

/// The parameters by which a convolution is planned.
ConvParams plannedParams(const ConvParams &params);

} // namespace poplin

#endif
