// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kind of sparsity: single elements, or blocks of a fixed shape.

#ifndef POPULUS_POPSPARSE_SPARSITYPARAMS_HPP
#define POPULUS_POPSPARSE_SPARSITYPARAMS_HPP

#include <array>
#include <cstddef>
#include <iosfwd>

namespace popsparse {
namespace dynamic {

enum class SparsityType { Element, Block };
enum class SparsityStructure { Unstructured };

struct SparsityParams {
  SparsityParams(SparsityType type = SparsityType::Element,
                 SparsityStructure structure = SparsityStructure::Unstructured,
                 std::array<std::size_t, 2> blockDimensions = {{1, 1}})
      : type(type), structure(structure), blockDimensions(blockDimensions) {}

  SparsityType type;
  SparsityStructure structure;
  /// Rows and columns of a block; {1, 1} for elements.
  std::array<std::size_t, 2> blockDimensions;

  std::size_t blockSize() const {
    return blockDimensions[0] * blockDimensions[1];
  }
  friend bool operator==(const SparsityParams &a, const SparsityParams &b) {
    return a.type == b.type && a.structure == b.structure &&
           a.blockDimensions == b.blockDimensions;
  }
};

std::ostream &operator<<(std::ostream &out, SparsityType type);
std::ostream &operator<<(std::ostream &out, SparsityStructure structure);
std::ostream &operator<<(std::ostream &out, const SparsityParams &params);

} // namespace dynamic
} // namespace popsparse

#endif
