// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about the host for the host code of codelets. popc compiles the code
// for several levels of the instruction set and defines the facts for each.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CODELETS_HOSTVECTORS_H
#define POPULUS_LIB_POPLIBS_POPLIN_CODELETS_HOSTVECTORS_H

/// The bytes of the longest vectors.
extern "C" unsigned populus_vector_bytes() __attribute__((const));

namespace poplin {

template <unsigned Size>
using HostFloats = float __attribute__((ext_vector_type(Size)));

/// Number of sums, of that many floats each, that fit the registers, with some
/// registers left for operands.
template <unsigned Size> inline unsigned sumsAtOnce() {
  const unsigned floats = populus_vector_bytes() / sizeof(float);
  return floats >= Size ? 12 : 12 * floats / Size;
}

} // namespace poplin

#endif
