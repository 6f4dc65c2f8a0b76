// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of a report (profile.pop), which libpoplar writes and libpva reads:
// eight bytes that say what it is, then a CBOR map with the members "version",
// "packageHash", "graph" (Engine::getGraphProfile) and, if the program has run,
// "execution" (Engine::getExecutionProfile).

#ifndef POPULUS_LIB_PROFILE_REPORTFILE_H
#define POPULUS_LIB_PROFILE_REPORTFILE_H

#include <string_view>

namespace populus::profile {

/// The last byte is the version of the form.
inline constexpr std::string_view ReportMagic = "POPPROF\2";

inline constexpr const char *ReportFileName = "profile.pop";

} // namespace populus::profile

#endif
