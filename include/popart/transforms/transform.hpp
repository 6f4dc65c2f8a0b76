// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of whole graphs by a program. Session options name those that are
// applied, and where (ExperimentalSettings::customTransformApplierSettings).

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

  /// Takes it over; for the initializer of a static object.
  static bool registerTransform(Transform *transform);
};

} // namespace popart

#endif
