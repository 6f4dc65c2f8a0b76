// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What host code of codelets knows of the machine that it runs on. popc
// compiles it for several levels of the instruction set, and answers for each.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CODELETS_HOSTVECTORS_H
#define POPULUS_LIB_POPLIBS_POPLIN_CODELETS_HOSTVECTORS_H

/// The bytes of the longest vectors.
extern "C" unsigned populus_vector_bytes() __attribute__((const));

namespace poplin {

template <unsigned Size>
using HostFloats = float __attribute__((ext_vector_type(Size)));

/// How many sums of so many floats registers have room for, with some left over
/// for operands.
template <unsigned Size> inline unsigned sumsAtOnce() {
  const unsigned floats = populus_vector_bytes() / sizeof(float);
  return floats >= Size ? 12 : 12 * floats / Size;
}

} // namespace poplin

#endif
