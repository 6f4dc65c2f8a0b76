// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Services of the compiler for the interface, independent of sessions:
// conversion of elements, the log, names of patterns, files.

#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Interface/SessionProgram.h"
#include "lib/PopART/Interface/Translated.h"
#include "lib/PopART/Passes/Pass.h"
#include "lib/PopART/Support/Cache.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Support/OutputFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

namespace popart::session {

using namespace populus::popir;

void convert(const void *from, int fromType, void *to, int toType,
             std::int64_t count) {
  translated([&] {
    std::optional<DataType> source = fromOnnx(fromType);
    std::optional<DataType> wanted = fromOnnx(toType);
    if (!source || !wanted)
      failUnsupported("elements of type {} cannot be given to or taken from a "
                      "session",
                      source ? toType : fromType);
    const auto *begin = static_cast<const std::byte *>(from);
    std::vector<std::byte> bytes(
        begin, begin + count * static_cast<std::int64_t>(sizeOf(*source)));
    HostTensor result =
        HostTensor({*source, {count}}, std::move(bytes)).convertedTo(*wanted);
    std::ranges::copy(result.bytes(), static_cast<std::byte *>(to));
  });
}

namespace {

template <class T>
constexpr bool IsNumber = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// The first of `count` integers that `To` does not have.
template <class From, class To>
std::string firstLost(const void *from, std::int64_t count) {
  const auto *next = static_cast<const std::byte *>(from);
  for (std::int64_t i = 0; i != count; ++i, next += sizeof(From)) {
    From value;
    std::memcpy(&value, next, sizeof(value));
    if (!std::in_range<To>(value))
      return fmt::format("element {} is {}", i, value);
  }
  return "";
}

} // namespace

std::string lostInteger(const void *from, int fromType, int toType,
                        std::int64_t count) {
  const std::optional<DataType> source = fromOnnx(fromType);
  const std::optional<DataType> wanted = fromOnnx(toType);
  std::string lost;
  if (!source || !wanted || source == wanted)
    return lost;
  withElementType(*source, [&](auto given) {
    withElementType(*wanted, [&](auto kept) {
      if constexpr (IsNumber<decltype(given)> && IsNumber<decltype(kept)>)
        lost = firstLost<decltype(given), decltype(kept)>(from, count);
    });
  });
  return lost;
}

std::string buildHash() { return compilerHash().digits(); }

void logWarning(const std::string &text) {
  logging::log(logging::Module::session, logging::Level::Warn, "{}", text);
}

bool logOfProgram(const std::string &module, int level,
                  const std::string &text) {
  const std::optional<logging::Module> known = logging::findModule(module);
  if (known)
    logging::log(*known, static_cast<logging::Level>(level), "{}", text);
  return known.has_value();
}

bool setLogLevel(const std::string &module, const std::string &level) {
  return logging::setLevel(module, logging::parseLevel(level));
}

std::vector<std::string> patternNames() {
  std::vector<std::string> names;
  for (const Pass &pass : allPasses())
    if (pass.selection == Pass::Pattern)
      names.emplace_back(pass.name);
  return names;
}

void writeFile(const std::string &path, const std::string &bytes) {
  translated([&] { writeText(path, bytes); });
}

} // namespace popart::session
