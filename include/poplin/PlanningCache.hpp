// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache of the plans of convolutions and matrix products, so that equal ones
// are planned once. It is optional.

#ifndef POPULUS_POPLIN_PLANNINGCACHE_HPP
#define POPULUS_POPLIN_PLANNINGCACHE_HPP

#include <cstddef>
#include <memory>

namespace poplin {

class PlanningCacheImpl;

class PlanningCache {
public:
  PlanningCache();
  ~PlanningCache();

  /// Number of plans in the cache.
  std::size_t size() const;

  std::unique_ptr<PlanningCacheImpl> impl;
};

} // namespace poplin

#endif
