// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SequenceSlice of Graphcore's domain: copies sequences, whose lengths and
// places are known when the model runs, from one tensor into another one. With
// zeroUnused the rest of the result is zero.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/SequenceSlice.hpp>
#include <poputil/Util.hpp>

namespace populus::popir {

namespace {

class SequenceSlice final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    const Shape &source = inputShape(Source), &target = inputShape(Target);
    if (source.empty() || target.empty() ||
        input(Source).info.type != input(Target).info.type ||
        !std::equal(source.begin() + 1, source.end(), target.begin() + 1,
                    target.end()))
      failInput(fmt::format("its source {} and its target {} differ in more "
                            "than their first dimension",
                            toString(input(Source).info),
                            toString(input(Target).info)));
    for (std::size_t i : {Lengths, SourceOffsets, TargetOffsets})
      if (inputShape(i).size() != 1 || inputShape(i) != inputShape(Lengths))
        failInput("its lengths and offsets are not vectors of the same size");
    return {input(Target).info};
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor result =
        poputil::duplicate(lowering.graph(), lowering.input(*this, Target),
                           lowering.program(), lowering.debug(*this));
    auto numbers = [&](Input index) {
      return popops::cast(lowering.graph(), lowering.input(*this, index),
                          poplar::UNSIGNED_INT, lowering.program(),
                          lowering.debug(*this));
    };
    popops::sequenceSlice(lowering.graph(), lowering.input(*this, Source),
                          result, numbers(Lengths), numbers(SourceOffsets),
                          numbers(TargetOffsets),
                          attributes().getInt("zeroUnused", 0) != 0,
                          lowering.program(), lowering.debug(*this));
    lowering.setOutput(*this, result);
  }

private:
  enum Input : std::size_t {
    Source,
    Target,
    Lengths,
    SourceOffsets,
    TargetOffsets
  };
};

const RegisterOp<SequenceSlice> registration("SequenceSlice", {1},
                                             "ai.graphcore", 5);

} // namespace

} // namespace populus::popir
