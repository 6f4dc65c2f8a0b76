// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operation with which pooling combines the elements of a window.

#ifndef POPULUS_POPNN_POOLINGDEF_HPP
#define POPULUS_POPNN_POOLINGDEF_HPP

namespace popnn {

enum class PoolingType {
  MAX,
  /// Mean of the elements that are not padding.
  AVG,
  SUM
};

} // namespace popnn

#endif
