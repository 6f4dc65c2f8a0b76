// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache of plans. Sparse operations are not planned here, so a cache stays
// empty.

#ifndef POPULUS_POPSPARSE_PLANNINGCACHE_HPP
#define POPULUS_POPSPARSE_PLANNINGCACHE_HPP

namespace popsparse {
namespace dynamic {

class PlanningCache {};

} // namespace dynamic

namespace static_ {

class PlanningCache {};

} // namespace static_
} // namespace popsparse

#endif
