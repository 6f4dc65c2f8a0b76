// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches of the line tables and symbols of images.

#include "lib/Debugger/CodeIndex.h"

#include <llvm/Demangle/Demangle.h>

#include <algorithm>
#include <map>

namespace populus::debugger {

using runtime::CodeImage;
using runtime::None;
using runtime::SourceLine;
using runtime::Symbol;

namespace {

/// "a/mean.cpp" is meant by "mean.cpp".
bool isFile(const std::string &path, const std::string &name) {
  if (path == name)
    return true;
  return path.size() > name.size() && path.ends_with(name) &&
         path[path.size() - name.size() - 1] == '/';
}

/// "compute" and "Mean::compute" are names of "Mean::compute(int)".
bool isFunction(const std::string &signature, const std::string &name) {
  const std::string plain = signature.substr(0, signature.find('('));
  if (plain == name || signature == name)
    return true;
  return plain.size() > name.size() + 2 && plain.ends_with("::" + name);
}

/// The place behind the prologue of a function, where its second line begins.
Place behindPrologue(Place place, const Symbol &function,
                     const CodeImage &image) {
  unsigned begun = 0;
  for (const SourceLine &row : image.lines)
    if (row.address >= function.address &&
        row.address < function.address + function.size && row.file != None &&
        ++begun == 2)
      place.address = row.address;
  return place;
}

} // namespace

std::string demangled(const std::string &symbol) {
  return llvm::demangle(symbol);
}

CodeIndex::CodeIndex(const runtime::Executable &executable)
    : executable(executable), infos(executable.images.size()) {}

std::uint32_t CodeIndex::imageOfTile(std::uint32_t tile) const {
  if (tile >= executable.tileSetup.size() || executable.tileSetup[tile] == None)
    return None;
  return executable.tileSetups[executable.tileSetup[tile]].image;
}

bool CodeIndex::isCode(Place place) const {
  if (place.image >= executable.images.size())
    return false;
  const CodeImage &image = executable.images[place.image];
  return place.address % 4 == 0 && place.address >= image.base &&
         place.address - image.base < image.textBytes;
}

const SourceLine *CodeIndex::rowAt(Place place) const {
  if (!isCode(place))
    return nullptr;
  const std::vector<SourceLine> &lines = executable.images[place.image].lines;
  const auto after = std::upper_bound(
      lines.begin(), lines.end(), place.address,
      [](Address a, const SourceLine &line) { return a < line.address; });
  return after == lines.begin() ? nullptr : &*std::prev(after);
}

SourcePlace CodeIndex::lineAt(Place place) const {
  const SourceLine *row = rowAt(place);
  if (!row || row->file == None)
    return {};
  return {executable.images[place.image].files[row->file], row->line};
}

bool CodeIndex::beginsLine(Place place) const {
  const SourceLine *row = rowAt(place);
  return row && row->file != None && row->address == place.address;
}

const Symbol *CodeIndex::functionAt(Place place) const {
  if (!isCode(place))
    return nullptr;
  const std::vector<Symbol> &symbols = executable.images[place.image].symbols;
  const auto after = std::upper_bound(
      symbols.begin(), symbols.end(), place.address,
      [](Address a, const Symbol &symbol) { return a < symbol.address; });
  return after == symbols.begin() ? nullptr : &*std::prev(after);
}

std::string CodeIndex::describe(Place place) const {
  const Symbol *symbol = functionAt(place);
  if (!symbol)
    return {};
  const Address offset = place.address - symbol->address;
  return demangled(symbol->name) +
         (offset == 0 ? "" : " + " + std::to_string(offset));
}

bool CodeIndex::hasFile(const std::string &file) const {
  const std::set<std::string> all = files();
  return std::any_of(all.begin(), all.end(),
                     [&](const auto &path) { return isFile(path, file); });
}

std::set<std::string> CodeIndex::files() const {
  std::set<std::string> files;
  for (const CodeImage &image : executable.images)
    files.insert(image.files.begin(), image.files.end());
  return files;
}

std::vector<Place> CodeIndex::placesOfLine(const std::string &file,
                                           unsigned &line) const {
  const auto forEachRow = [&](auto function) {
    for (std::uint32_t i = 0; i != executable.images.size(); ++i)
      for (const SourceLine &row : executable.images[i].lines)
        if (row.file != None && row.line >= line &&
            isFile(executable.images[i].files[row.file], file))
          function(i, row);
  };
  unsigned found = ~0u;
  forEachRow([&](std::uint32_t, const SourceLine &row) {
    found = std::min(found, row.line);
  });
  if (found == ~0u)
    return {};
  line = found;
  std::map<const Symbol *, Place> first;
  forEachRow([&](std::uint32_t image, const SourceLine &row) {
    if (row.line == found)
      first.emplace(functionAt({image, row.address}),
                    Place{image, row.address});
  });
  std::vector<Place> places;
  for (const auto &[function, place] : first)
    places.push_back(place);
  std::sort(places.begin(), places.end());
  return places;
}

std::vector<Place> CodeIndex::placesOfFunction(const std::string &name) const {
  std::vector<Place> places;
  for (std::uint32_t i = 0; i != executable.images.size(); ++i)
    for (const Symbol &symbol : executable.images[i].symbols)
      if (symbol.name == name || isFunction(demangled(symbol.name), name))
        places.push_back(
            behindPrologue({i, symbol.address}, symbol, executable.images[i]));
  std::erase_if(places, [&](Place place) { return !isCode(place); });
  return places;
}

const DebugInfo &CodeIndex::debugInfo(std::uint32_t image) const {
  if (!infos[image])
    infos[image] = std::make_unique<DebugInfo>(executable.images[image]);
  return *infos[image];
}

} // namespace populus::debugger
