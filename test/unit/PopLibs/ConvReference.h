// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reference for convolutions, in double, that applies the transforms of
// ConvParams literally: truncate, dilate, pad, flip, slide, truncate, stride,
// pad.

#ifndef POPULUS_TEST_UNIT_POPLIBS_CONVREFERENCE_H
#define POPULUS_TEST_UNIT_POPLIBS_CONVREFERENCE_H

#include "Harness.h"

#include <poplin/Convolution.hpp>

namespace test {

using poplin::ConvParams;

/// A field of one or two dimensions; one is a single row.
struct Field {
  std::size_t rows, columns;
  Values values;

  double at(std::size_t r, std::size_t c) const {
    return values[r * columns + c];
  }
};

/// Transforms along the columns.
inline Field transformColumns(const Field &in,
                              const ConvParams::InputTransform &t,
                              unsigned dim) {
  std::vector<Values> columns;
  for (std::size_t c = t.truncationLower[dim];
       c != in.columns - t.truncationUpper[dim]; ++c) {
    if (!columns.empty())
      columns.resize(columns.size() + t.dilation[dim] - 1, Values(in.rows, 0));
    Values column;
    for (std::size_t r = 0; r != in.rows; ++r)
      column.push_back(in.at(r, c));
    columns.push_back(column);
  }
  columns.insert(columns.begin(), t.paddingLower[dim], Values(in.rows, 0));
  columns.resize(columns.size() + t.paddingUpper[dim], Values(in.rows, 0));
  if (t.flip[dim])
    std::reverse(columns.begin(), columns.end());
  Field out{in.rows, columns.size(), {}};
  for (std::size_t r = 0; r != in.rows; ++r)
    for (const Values &column : columns)
      out.values.push_back(column[r]);
  return out;
}

inline Field transposed(const Field &in) {
  Field out{in.columns, in.rows, {}};
  for (std::size_t c = 0; c != in.columns; ++c)
    for (std::size_t r = 0; r != in.rows; ++r)
      out.values.push_back(in.at(r, c));
  return out;
}

inline Field transform(const Field &in, const ConvParams::InputTransform &t) {
  const unsigned dims = t.dilation.size();
  Field out = transformColumns(in, t, dims - 1);
  return dims == 2 ? transposed(transformColumns(transposed(out), t, 0)) : out;
}

/// The result at a place of the untransformed output.
inline double slide(const Field &in, const Field &kernel, std::size_t y,
                    std::size_t x) {
  double sum = 0;
  for (std::size_t r = 0; r != kernel.rows; ++r)
    for (std::size_t c = 0; c != kernel.columns; ++c)
      sum += in.at(y + r, x + c) * kernel.at(r, c);
  return sum;
}

/// The untransformed index of an output index, or ~0 for padding.
inline std::size_t source(const ConvParams &p, unsigned dim, std::size_t out) {
  const auto &t = p.outputTransform;
  const std::size_t size = p.getOutputSize(dim);
  if (out < t.paddingLower[dim] || out >= size - t.paddingUpper[dim])
    return ~std::size_t(0);
  return t.truncationLower[dim] + (out - t.paddingLower[dim]) * t.stride[dim];
}

inline Values reference(const ConvParams &p, const Values &in,
                        const Values &weights) {
  const unsigned dims = p.getNumFieldDims();
  const std::size_t inRows = dims == 2 ? p.inputFieldShape[0] : 1;
  const std::size_t inColumns = p.inputFieldShape[dims - 1];
  const std::size_t kRows = dims == 2 ? p.kernelShape[0] : 1;
  const std::size_t kColumns = p.kernelShape[dims - 1];
  const std::size_t outRows = dims == 2 ? p.getOutputSize(0) : 1;
  const std::size_t outColumns = p.getOutputSize(dims - 1);
  const std::size_t ic = p.inputChannelsPerConvGroup;
  const std::size_t oc = p.outputChannelsPerConvGroup;
  const auto field = [](const Values &v, std::size_t i, std::size_t r,
                        std::size_t c) {
    return Field{r, c,
                 Values(v.begin() + i * r * c, v.begin() + (i + 1) * r * c)};
  };
  Values out;
  for (std::size_t b = 0; b != p.batchSize; ++b)
    for (std::size_t g = 0; g != p.numConvGroups; ++g)
      for (std::size_t o = 0; o != oc; ++o) {
        Values sums(outRows * outColumns, 0);
        for (std::size_t i = 0; i != ic; ++i) {
          const Field input = transform(
              field(in, (b * p.numConvGroups + g) * ic + i, inRows, inColumns),
              p.inputTransform);
          const Field kernel =
              transform(field(weights, (g * oc + o) * ic + i, kRows, kColumns),
                        p.kernelTransform);
          for (std::size_t r = 0; r != outRows; ++r)
            for (std::size_t c = 0; c != outColumns; ++c) {
              const std::size_t y = dims == 2 ? source(p, 0, r) : 0;
              const std::size_t x = source(p, dims - 1, c);
              if (y != ~std::size_t(0) && x != ~std::size_t(0))
                sums[r * outColumns + c] += slide(input, kernel, y, x);
            }
        }
        out.insert(out.end(), sums.begin(), sums.end());
      }
  return out;
}

inline Shape inShape(const ConvParams &p) {
  Shape shape{p.batchSize, p.getNumInputChans()};
  shape.insert(shape.end(), p.inputFieldShape.begin(), p.inputFieldShape.end());
  return shape;
}

inline Shape weightsShape(const ConvParams &p) {
  Shape shape{p.numConvGroups, p.outputChannelsPerConvGroup,
              p.inputChannelsPerConvGroup};
  shape.insert(shape.end(), p.kernelShape.begin(), p.kernelShape.end());
  return shape;
}

using In = ConvParams::InputTransform;
using Out = ConvParams::OutputTransform;

inline ConvParams params(std::size_t batch, Shape field, Shape kernel,
                         std::size_t in, std::size_t out, std::size_t groups,
                         In input = {}, In kernelTransform = {},
                         Out output = {}) {
  const std::size_t dims = field.size();
  if (input.dilation.empty())
    input = In(dims);
  if (kernelTransform.dilation.empty())
    kernelTransform = In(dims);
  if (output.stride.empty())
    output = Out(dims);
  return ConvParams(poplar::FLOAT, poplar::FLOAT, batch, field, kernel, in, out,
                    groups, input, kernelTransform, output);
}

/// Cycles of the compute set that multiplies.
inline std::uint64_t cyclesOfProducts(const char *device,
                                      const ConvParams &params,
                                      const poplar::OptionFlags &options = {}) {
  Program p(device);
  const poplar::Tensor in = poplin::createInput(p.graph, params, "in");
  const poplar::Tensor weights =
      poplin::createWeights(p.graph, params, "weights", options);
  poplin::convolution(p.graph, in, weights, params, false, p.prog, "conv",
                      options);
  poplar::Engine engine(p.graph, p.prog, {{"debug.instrument", "true"}});
  engine.load(p.device);
  engine.run();
  const poplar::ProfileValue profile = engine.getExecutionProfile();
  for (const poplar::ProfileValue &step :
       profile["simulation"]["steps"].asVector())
    if (step["type"].asString() == "OnTileExecute" &&
        step["name"].asString().find("Convolve") != std::string::npos)
      return step["cyclesTo"].asUint() - step["cyclesFrom"].asUint();
  ADD_FAILURE() << "nothing multiplies";
  return 0;
}

} // namespace test

#endif
