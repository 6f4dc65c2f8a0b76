// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that follow from a convolution's parameters, and checks of them.

#include <poplin/ConvParams.hpp>
#include <poplin/ConvUtil.hpp>
#include <poputil/exceptions.hpp>

#include <ostream>
#include <string>
#include <tuple>

using poputil::poplibs_error;

namespace poplin {

ConvParams::InputTransform::InputTransform(std::size_t size)
    : truncationLower(size, 0), truncationUpper(size, 0), dilation(size, 1),
      paddingLower(size, 0), paddingUpper(size, 0), flip(size, false) {}

ConvParams::InputTransform::InputTransform(
    std::vector<unsigned> truncationLower,
    std::vector<unsigned> truncationUpper, std::vector<unsigned> dilation,
    std::vector<unsigned> paddingLower, std::vector<unsigned> paddingUpper,
    std::vector<bool> flip)
    : truncationLower(std::move(truncationLower)),
      truncationUpper(std::move(truncationUpper)),
      dilation(std::move(dilation)), paddingLower(std::move(paddingLower)),
      paddingUpper(std::move(paddingUpper)), flip(std::move(flip)) {}

ConvParams::OutputTransform::OutputTransform(std::size_t size)
    : truncationLower(size, 0), truncationUpper(size, 0), stride(size, 1),
      paddingLower(size, 0), paddingUpper(size, 0) {}

ConvParams::OutputTransform::OutputTransform(
    std::vector<unsigned> truncationLower,
    std::vector<unsigned> truncationUpper, std::vector<unsigned> stride,
    std::vector<unsigned> paddingLower, std::vector<unsigned> paddingUpper)
    : truncationLower(std::move(truncationLower)),
      truncationUpper(std::move(truncationUpper)), stride(std::move(stride)),
      paddingLower(std::move(paddingLower)),
      paddingUpper(std::move(paddingUpper)) {}

ConvParams::ConvParams(poplar::Type dataType, std::size_t batchSize,
                       std::vector<std::size_t> inputFieldShape,
                       std::vector<std::size_t> kernelShape,
                       std::size_t inputChannels, std::size_t outputChannels,
                       std::size_t numConvGroups)
    : ConvParams(dataType, dataType, batchSize, std::move(inputFieldShape),
                 std::move(kernelShape), inputChannels, outputChannels,
                 numConvGroups) {}

ConvParams::ConvParams(poplar::Type inputType, poplar::Type outputType,
                       std::size_t batchSize,
                       std::vector<std::size_t> inputFieldShape,
                       std::vector<std::size_t> kernelShape,
                       std::size_t inputChannels, std::size_t outputChannels,
                       std::size_t numConvGroups)
    : ConvParams(inputType, outputType, batchSize, inputFieldShape,
                 std::move(kernelShape), inputChannels, outputChannels,
                 numConvGroups, InputTransform(inputFieldShape.size()),
                 InputTransform(inputFieldShape.size()),
                 OutputTransform(inputFieldShape.size())) {}

ConvParams::ConvParams(poplar::Type inputType, poplar::Type outputType,
                       std::size_t batchSize,
                       std::vector<std::size_t> inputFieldShape,
                       std::vector<std::size_t> kernelShape,
                       std::size_t inputChannels, std::size_t outputChannels,
                       std::size_t numConvGroups, InputTransform inputTransform,
                       InputTransform kernelTransform,
                       OutputTransform outputTransform)
    : inputType(inputType), outputType(outputType), batchSize(batchSize),
      inputFieldShape(std::move(inputFieldShape)),
      kernelShape(std::move(kernelShape)),
      inputChannelsPerConvGroup(inputChannels),
      outputChannelsPerConvGroup(outputChannels), numConvGroups(numConvGroups),
      inputTransform(std::move(inputTransform)),
      kernelTransform(std::move(kernelTransform)),
      outputTransform(std::move(outputTransform)) {
  validate();
}

std::size_t ConvParams::getTruncatedInputSize(unsigned dim) const {
  return inputFieldShape[dim] - inputTransform.truncationLower[dim] -
         inputTransform.truncationUpper[dim];
}

std::size_t ConvParams::getTruncatedKernelSize(unsigned dim) const {
  return kernelShape[dim] - kernelTransform.truncationLower[dim] -
         kernelTransform.truncationUpper[dim];
}

std::size_t ConvParams::getTransformedInputSize(unsigned dim) const {
  return inputTransform.paddingLower[dim] +
         getDilatedSize(getTruncatedInputSize(dim),
                        inputTransform.dilation[dim]) +
         inputTransform.paddingUpper[dim];
}

std::size_t ConvParams::getTransformedKernelSize(unsigned dim) const {
  return kernelTransform.paddingLower[dim] +
         getDilatedSize(getTruncatedKernelSize(dim),
                        kernelTransform.dilation[dim]) +
         kernelTransform.paddingUpper[dim];
}

std::size_t ConvParams::getUntransformedOutputSize(unsigned dim) const {
  return getTransformedInputSize(dim) + 1 - getTransformedKernelSize(dim);
}

std::size_t ConvParams::getOutputSize(unsigned dim) const {
  const std::size_t truncated = getUntransformedOutputSize(dim) -
                                outputTransform.truncationLower[dim] -
                                outputTransform.truncationUpper[dim];
  const std::size_t stride = outputTransform.stride[dim];
  return outputTransform.paddingLower[dim] + (truncated + stride - 1) / stride +
         outputTransform.paddingUpper[dim];
}

std::vector<std::size_t> ConvParams::getOutputFieldShape() const {
  std::vector<std::size_t> shape;
  for (unsigned dim = 0; dim != getNumFieldDims(); ++dim)
    shape.push_back(getOutputSize(dim));
  return shape;
}

ConvParams ConvParams::canonicalize() const {
  ConvParams result = *this;
  const auto simplify = [](InputTransform &t, unsigned dim,
                           std::size_t elements) {
    if (elements > 1)
      return;
    t.dilation[dim] = 1;
    if (t.flip[dim])
      std::swap(t.paddingLower[dim], t.paddingUpper[dim]);
    t.flip[dim] = false;
  };
  for (unsigned dim = 0; dim != getNumFieldDims(); ++dim) {
    simplify(result.inputTransform, dim, getTruncatedInputSize(dim));
    simplify(result.kernelTransform, dim, getTruncatedKernelSize(dim));
    const std::size_t results = getUntransformedOutputSize(dim) -
                                outputTransform.truncationLower[dim] -
                                outputTransform.truncationUpper[dim];
    if (results <= 1)
      result.outputTransform.stride[dim] = 1;
  }
  return result;
}

namespace {

[[noreturn]] void invalid(const std::string &what) {
  throw poplibs_error("invalid parameters of a convolution: " + what);
}

void checkRank(std::size_t size, std::size_t rank, const char *name) {
  if (size != rank)
    invalid(std::string(name) + " has " + std::to_string(size) +
            " entries, the field has " + std::to_string(rank) + " dimensions");
}

void checkTransform(const ConvParams::InputTransform &t, std::size_t rank,
                    const std::vector<std::size_t> &shape, const char *what) {
  checkRank(t.truncationLower.size(), rank, "truncationLower");
  checkRank(t.truncationUpper.size(), rank, "truncationUpper");
  checkRank(t.dilation.size(), rank, "dilation");
  checkRank(t.paddingLower.size(), rank, "paddingLower");
  checkRank(t.paddingUpper.size(), rank, "paddingUpper");
  checkRank(t.flip.size(), rank, "flip");
  for (std::size_t i = 0; i != rank; ++i) {
    if (t.dilation[i] == 0)
      invalid(std::string("the ") + what + " dilation of dimension " +
              std::to_string(i) + " is 0");
    if (std::size_t(t.truncationLower[i]) + t.truncationUpper[i] > shape[i])
      invalid(std::string("more is truncated off the ") + what +
              " in dimension " + std::to_string(i) + " than there is");
  }
}

} // namespace

void ConvParams::validate() const {
  const std::size_t rank = inputFieldShape.size();
  checkRank(kernelShape.size(), rank, "kernelShape");
  checkTransform(inputTransform, rank, inputFieldShape, "input");
  checkTransform(kernelTransform, rank, kernelShape, "kernel");
  checkRank(outputTransform.truncationLower.size(), rank, "truncationLower");
  checkRank(outputTransform.truncationUpper.size(), rank, "truncationUpper");
  checkRank(outputTransform.stride.size(), rank, "stride");
  checkRank(outputTransform.paddingLower.size(), rank, "paddingLower");
  checkRank(outputTransform.paddingUpper.size(), rank, "paddingUpper");
  for (unsigned i = 0; i != rank; ++i) {
    const std::string where = " in dimension " + std::to_string(i);
    if (outputTransform.stride[i] == 0)
      invalid("the stride is 0" + where);
    if (getTransformedKernelSize(i) > getTransformedInputSize(i))
      invalid("the kernel (" + std::to_string(getTransformedKernelSize(i)) +
              ") is larger than the input (" +
              std::to_string(getTransformedInputSize(i)) + ")" + where);
    if (std::size_t(outputTransform.truncationLower[i]) +
            outputTransform.truncationUpper[i] >
        getUntransformedOutputSize(i))
      invalid("more is truncated off the output than there is" + where);
  }
}

namespace {

auto key(const ConvParams::InputTransform &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.dilation,
                  t.paddingLower, t.paddingUpper, t.flip);
}

auto key(const ConvParams::OutputTransform &t) {
  return std::tie(t.truncationLower, t.truncationUpper, t.stride,
                  t.paddingLower, t.paddingUpper);
}

auto key(const ConvParams &p) {
  return std::tuple_cat(
      std::tie(p.inputType, p.outputType, p.batchSize, p.inputFieldShape,
               p.kernelShape, p.inputChannelsPerConvGroup,
               p.outputChannelsPerConvGroup, p.numConvGroups),
      key(p.inputTransform), key(p.kernelTransform), key(p.outputTransform));
}

template <class... Fs> struct Overloaded : Fs... {
  using Fs::operator()...;
};

template <class T>
void printList(std::ostream &os, const char *name, const std::vector<T> &list) {
  os << "  " << name << " {";
  for (std::size_t i = 0; i != list.size(); ++i)
    os << (i ? "," : "") << list[i];
  os << "}\n";
}

} // namespace

bool operator<(const ConvParams &a, const ConvParams &b) {
  return key(a) < key(b);
}
bool operator==(const ConvParams &a, const ConvParams &b) {
  return key(a) == key(b);
}
bool operator!=(const ConvParams &a, const ConvParams &b) { return !(a == b); }

std::size_t hash_value(const ConvParams &params) {
  std::size_t hash = 0;
  const auto add = [&](std::size_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  };
  const auto addField =
      Overloaded{[&](const poplar::Type &type) {
                   add(std::hash<std::string>()(type.toString()));
                 },
                 [&](std::size_t value) { add(value); },
                 [&](const auto &list) {
                   for (const auto value : list)
                     add(value);
                 }};
  std::apply([&](const auto &...fields) { (addField(fields), ...); },
             key(params));
  return hash;
}

std::ostream &operator<<(std::ostream &os, const ConvParams &p) {
  os << "convolution of " << p.inputType << " to " << p.outputType << "\n"
     << "  batchSize " << p.batchSize << "\n  numConvGroups " << p.numConvGroups
     << "\n  inputChannelsPerConvGroup " << p.inputChannelsPerConvGroup
     << "\n  outputChannelsPerConvGroup " << p.outputChannelsPerConvGroup
     << "\n";
  printList(os, "inputFieldShape", p.inputFieldShape);
  printList(os, "kernelShape", p.kernelShape);
  printList(os, "stride", p.outputTransform.stride);
  printList(os, "inputPaddingLower", p.inputTransform.paddingLower);
  printList(os, "inputPaddingUpper", p.inputTransform.paddingUpper);
  printList(os, "inputDilation", p.inputTransform.dilation);
  printList(os, "kernelDilation", p.kernelTransform.dilation);
  return os;
}

} // namespace poplin
