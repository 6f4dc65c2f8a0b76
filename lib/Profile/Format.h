// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers and names as people read them.

#ifndef POPULUS_LIB_PROFILE_FORMAT_H
#define POPULUS_LIB_PROFILE_FORMAT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace populus::profile {

/// 1,234,567
std::string grouped(std::uint64_t number);
/// "1.2 MiB"
std::string bytes(std::uint64_t number);
/// "42 %"; one digit more below ten.
std::string percent(std::uint64_t part, std::uint64_t whole);
/// "3 exchanges"
std::string count(std::uint64_t number, const char *what);
/// "0.014 ms"
std::string time(double seconds);
/// A name without control characters, which terminals would act on.
std::string printable(std::string_view name);
/// The same in quotes.
std::string quoted(std::string_view name);

} // namespace populus::profile

#endif
