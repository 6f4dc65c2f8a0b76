// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms in which graphs and tensors are written.

#ifndef POPULUS_INCLUDE_POPLAR_SERIALIZATIONFORMAT_HPP
#define POPULUS_INCLUDE_POPLAR_SERIALIZATIONFORMAT_HPP

namespace poplar {

/// Both have the same contents; Binary is CBOR.
enum class SerializationFormat { Binary, JSON };

} // namespace poplar

#endif
