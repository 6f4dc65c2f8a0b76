// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile linker: from IPU objects and a set of entry points to one code image
// at a fixed address. Sections are kept only if an entry point reaches them, so
// a tile carries just the codelets that it runs. It reads our ELF dialect
// (runtime/Target/ElfIpu.h) itself, without LLVM: programs that use .gp files
// never load a compiler.

#ifndef POPULUS_LIB_LINK_LINKER_H
#define POPULUS_LIB_LINK_LINKER_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace populus::link {

/// Undefined or doubly defined symbols, a value out of a relocation's range, a
/// malformed object; the message names symbol, section and object.
class LinkError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct LinkedImage {
  runtime::CodeImage image;
  /// Address of every root.
  std::unordered_map<std::string, runtime::Address> entries;
  /// Deepest stack below any root, in bytes, over the call graph.
  std::uint32_t stackBytes = 0;
  /// True if functions call themselves: the stack may then get deeper.
  bool isRecursive = false;
};

/// The use of an image.
enum class Purpose {
  /// Entered at any of its roots. Functions that call themselves are refused,
  /// and so is the use of variables that constructors set up, because nothing
  /// runs before a codelet.
  Codelets,
  /// A program, entered at its start code, which runs constructors.
  Program,
};

/// Parsed objects of one target, from which many images can be linked.
class Linker {
public:
  explicit Linker(const runtime::TargetInfo &target);
  ~Linker();
  Linker(const Linker &) = delete;
  Linker &operator=(const Linker &) = delete;

  /// Adds an object; `name` stands for it in messages.
  void addObject(const std::string &name, std::span<const std::uint8_t> bytes);
  /// Adds an object of a library; symbols of other objects override its
  /// symbols.
  void addLibraryObject(const std::string &name,
                        std::span<const std::uint8_t> bytes);

  /// Links what `roots` reach at the start of region 0.
  LinkedImage link(std::span<const std::string> roots,
                   Purpose purpose = Purpose::Codelets) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace populus::link

#endif
