// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report as one self-contained HTML file.

#ifndef POPULUS_LIB_PROFILE_PAGE_H
#define POPULUS_LIB_PROFILE_PAGE_H

#include "lib/Profile/HostTrace.h"
#include "lib/Profile/Report.pb.h"

#include <string>
#include <vector>

namespace populus::profile {

/// `other` is a second report for comparison, or null. `hosts` are traces of
/// host programs; the page has the longest of their spans.
std::string makePage(const report::Report &report, const report::Report *other,
                     const std::vector<HostTrace> &hosts = {});

} // namespace populus::profile

#endif
