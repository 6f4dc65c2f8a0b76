// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remembers how convolutions and matrix products were divided over tiles, so
// that equal ones are planned once. Using one is never necessary.

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
