// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base class of lowerings under the name that newer programs use. An Opx can do
// the same.

#ifndef POPULUS_INCLUDE_POPART_POPX_POPOPX_HPP
#define POPULUS_INCLUDE_POPART_POPX_POPOPX_HPP

#include <popart/popx/opx.hpp>

namespace popart {
namespace popx {

class PopOpx : public Opx {
public:
  using Opx::Opx;
};

} // namespace popx
} // namespace popart

#endif
