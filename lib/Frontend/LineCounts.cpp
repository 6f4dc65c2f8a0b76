// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formats: geninfo(1) of lcov describes tracefiles, "SampleProfReader.h" of
// LLVM the text form of sampled profiles.

#include "lib/Frontend/LineCounts.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace populus::frontend {

namespace {

/// Lines of a function: from its first line on, in 16 bits.
constexpr std::uint32_t OffsetMask = 0xffff;

/// Counts of one function.
struct FunctionCounts {
  std::map<std::uint32_t, std::uint64_t> lines; // by distance
  std::uint64_t entries = 0;
};

bool readCount(llvm::StringRef record, std::uint32_t &line,
               std::uint64_t &count) {
  const auto [first, rest] = record.split(',');
  return !first.getAsInteger(10, line) &&
         !rest.split(',').first.getAsInteger(10, count);
}

/// Gives the parts of a line outside its innermost loop another discriminator,
/// for which there are no counts. `for (i = 0; i != n; ++i)` counts the turns,
/// and `i = 0` would be executed as often otherwise.
void markOuterParts(llvm::Function &function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::map<unsigned, unsigned> depths; // by line
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block)
      if (const llvm::DILocation *location = instruction.getDebugLoc()) {
        unsigned &depth = depths[location->getLine()];
        depth = std::max(depth, loops.getLoopDepth(&block));
      }
  for (llvm::BasicBlock &block : function)
    for (llvm::Instruction &instruction : block)
      if (const llvm::DILocation *location = instruction.getDebugLoc();
          location && loops.getLoopDepth(&block) < depths[location->getLine()])
        if (const auto marked = location->cloneWithBaseDiscriminator(1))
          instruction.setDebugLoc(*marked);
}

template <typename Lines>
FunctionCounts countsOf(const llvm::Function &function,
                        const llvm::DISubprogram &subprogram,
                        const Lines &counted) {
  FunctionCounts counts;
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block) {
      const llvm::DILocation *location = instruction.getDebugLoc();
      if (!location || location->getBaseDiscriminator() != 0)
        continue;
      const auto found = counted.find(location->getLine());
      if (found == counted.end())
        continue;
      counts.lines[(location->getLine() - subprogram.getLine()) & OffsetMask] =
          found->second;
      if (&block == &function.getEntryBlock())
        counts.entries = std::max(counts.entries, found->second);
    }
  return counts;
}

/// The entry point of a vertex runs once where its loops run often, and all of
/// the vertex is inlined into it: it must not look cold.
template <typename Lines> FunctionCounts countsOfEntry(const Lines &counted) {
  FunctionCounts counts;
  for (const auto &[line, count] : counted)
    counts.entries = std::max(counts.entries, count);
  if (counts.entries != 0)
    counts.lines[0] = counts.entries;
  return counts;
}

void print(llvm::raw_ostream &out, llvm::StringRef name,
           const FunctionCounts &counts) {
  std::uint64_t total = 0;
  for (const auto &[line, count] : counts.lines)
    total += count;
  out << name << ':' << total << ':' << counts.entries << '\n';
  for (const auto &[line, count] : counts.lines)
    out << ' ' << line << ": " << count << '\n';
}

} // namespace

std::string LineCounts::read(llvm::StringRef text) {
  Lines *lines = nullptr;
  unsigned number = 0;
  while (!text.empty()) {
    auto [record, rest] = text.split('\n');
    text = rest;
    ++number;
    record = record.rtrim('\r');
    if (record.consume_front("SF:")) {
      lines = &sources[record];
    } else if (record.consume_front("DA:")) {
      std::uint32_t line = 0;
      std::uint64_t count = 0;
      if (!lines || !readCount(record, line, count))
        return "line " + std::to_string(number) + " is no record of lcov";
      (*lines)[line] += count;
    }
  }
  return lines ? "" : "it has no sources; ipu-report DIR --lcov FILE writes it";
}

/// A source that was compiled in another folder has the same name.
const LineCounts::Lines *LineCounts::linesOf(const llvm::DIFile &file) const {
  llvm::SmallString<128> path(file.getFilename());
  if (llvm::sys::path::is_relative(path)) {
    path = file.getDirectory();
    llvm::sys::path::append(path, file.getFilename());
  }
  if (const auto exact = sources.find(path); exact != sources.end())
    return &exact->second;
  const Lines *lines = nullptr;
  for (const auto &source : sources)
    if (llvm::sys::path::filename(source.first()) ==
        llvm::sys::path::filename(path)) {
      if (lines)
        return nullptr;
      lines = &source.second;
    }
  return lines;
}

std::string LineCounts::addTo(llvm::Module &module) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (llvm::Function &function : module) {
    const llvm::DISubprogram *subprogram = function.getSubprogram();
    const Lines *lines =
        subprogram && subprogram->getFile() && !function.isDeclaration()
            ? linesOf(*subprogram->getFile())
            : nullptr;
    if (!lines)
      continue;
    markOuterParts(function);
    const FunctionCounts counts = subprogram->isArtificial()
                                      ? countsOfEntry(*lines)
                                      : countsOf(function, *subprogram, *lines);
    if (!counts.lines.empty())
      print(out, function.getName(), counts);
  }
  // LLVM reads counts of functions with this attribute, and a function is only
  // inlined into another one if both have it.
  if (!text.empty())
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        function.addFnAttr("use-sample-profile");
  return text;
}

} // namespace populus::frontend
