// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report as one HTML file that needs nothing else than a browser.

#ifndef POPULUS_LIB_PROFILE_PAGE_H
#define POPULUS_LIB_PROFILE_PAGE_H

#include "lib/Profile/HostTrace.h"
#include "lib/Profile/Report.pb.h"

#include <string>
#include <vector>

namespace populus::profile {

/// `other`: a second report to compare it with, or null. `hosts`: what programs
/// traced of themselves; the page has the longest of their spans.
std::string makePage(const report::Report &report, const report::Report *other,
                     const std::vector<HostTrace> &hosts = {});

} // namespace populus::profile

#endif
