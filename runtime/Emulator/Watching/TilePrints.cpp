// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces for one stream are joined.

#include "runtime/Emulator/Watching/TilePrints.h"

#include <algorithm>
#include <cstdio>

namespace populus::runtime::emulator {

bool callsHost(const CodeImage &image) {
  return std::any_of(image.symbols.begin(), image.symbols.end(),
                     [](const Symbol &symbol) {
                       return symbol.name == "__populus_host_call";
                     });
}

std::int32_t TilePrints::write(std::uint32_t stream, std::string_view bytes) {
  constexpr std::uint32_t Output = 1, Errors = 2;
  if (stream != Output && stream != Errors)
    return -1;
  const bool isError = stream == Errors;
  if (pieces.empty() || pieces.back().isError != isError)
    pieces.push_back({isError, {}});
  pieces.back().text += bytes;
  return static_cast<std::int32_t>(bytes.size());
}

void TilePrints::flush() {
  for (const Piece &piece : pieces)
    std::fwrite(piece.text.data(), 1, piece.text.size(),
                piece.isError ? stderr : stdout);
  pieces.clear();
}

} // namespace populus::runtime::emulator
