// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowering of Gather, as a base class of lowerings of programs: operand 0
// is the data, operand 1 the indices.

#ifndef POPULUS_INCLUDE_POPART_POPX_OP_GATHERX_HPP
#define POPULUS_INCLUDE_POPART_POPX_OP_GATHERX_HPP

#include <popart/names.hpp>
#include <popart/popx/popopx.hpp>

#include <cstdint>

namespace popart {
namespace popx {

class GatherBaseOpx : public PopOpx {
public:
  using PopOpx::PopOpx;

protected:
  /// Rows of `data` along `axis` at the indices, whose dimensions take the
  /// axis' place. An index outside of the data takes the first row.
  poplar::Tensor gather(poplar::program::Sequence &program,
                        const poplar::Tensor &data,
                        const poplar::Tensor &indices, std::int64_t axis) const;
};

class GatherOpx : public GatherBaseOpx {
public:
  using GatherBaseOpx::GatherBaseOpx;
  /// Gathers along the operator's axis (the attribute `axis` of a GatherOp).
  void grow(poplar::program::Sequence &program) const override;
};

} // namespace popx
} // namespace popart

#endif
