// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Custom rewrites of whole graphs. Session options name the transforms and the
// points at which they are applied
// (ExperimentalSettings::customTransformApplierSettings).

#ifndef POPULUS_INCLUDE_POPART_TRANSFORMS_TRANSFORM_HPP
#define POPULUS_INCLUDE_POPART_TRANSFORMS_TRANSFORM_HPP

#include <popart/graph.hpp>
#include <popart/op.hpp>

#include <cstddef>
#include <string>

namespace popart {

class Transform {
public:
  virtual ~Transform() {}
  /// Returns true if the graph has changed.
  virtual bool apply(Graph &graph) const = 0;
  virtual std::size_t getId() const = 0;
  virtual std::string getName() const = 0;

  /// Takes ownership of a transform. For the initializer of a static object.
  static bool registerTransform(Transform *transform);
};

} // namespace popart

#endif
