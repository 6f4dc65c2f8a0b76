// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The debug information of an image: that of its objects, one after the other,
// with addresses of the image. It is not loaded; debuggers and dumpers read it.

#ifndef POPULUS_LIB_LINK_DEBUGSECTIONS_H
#define POPULUS_LIB_LINK_DEBUGSECTIONS_H

#include "lib/Link/ObjectFile.h"
#include "runtime/Format/Executable.h"

#include <functional>
#include <map>
#include <optional>

namespace populus::link {

class DebugSections {
public:
  /// The address of a symbol of the object that is being added; none if it is
  /// not in the image.
  using AddressOf =
      std::function<std::optional<runtime::Address>(std::uint32_t symbol)>;

  /// An object without debug information adds nothing.
  void add(const ObjectFile &object, const AddressOf &addressOf);

  std::vector<runtime::DebugSection> take();

private:
  void relocate(const ObjectFile &object, std::uint32_t section,
                const AddressOf &addressOf);

  std::map<std::string, std::vector<std::uint8_t>> bytes; // by name
  /// The start offsets of the sections of the object that is being added.
  std::map<std::uint32_t, std::uint32_t> starts;
};

} // namespace populus::link

#endif
