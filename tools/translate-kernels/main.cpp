// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translates the codelets of the project's libraries to host code when the
// project is built, so that models need not do so when they run:
//
//   translate-kernels FOLDER DEVICE.gp LIBRARY.gp...
//
// Each vertex type is linked by itself, for one target, and what its workers
// can reach is translated. The translator puts it into the cache that it is
// told to use: FOLDER, which every user's translator looks into afterwards
// (Cache.h). Host code does not depend on where in an image code is, so it is
// found again in those of models. Supervisors are interpreted; which functions
// they start is only known when they run, so that all functions that they are
// linked with are taken for such.

#include "lib/Archive/Archive.h"
#include "lib/Link/Linker.h"
#include "runtime/Emulator/Translation/Translator.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <iostream>
#include <set>
#include <thread>

using namespace populus;
using namespace populus::runtime;
namespace fs = std::filesystem;

namespace {

constexpr const char *Target = "ipu2";

/// The objects of an archive for the target; `how` adds them to a linker.
void addObjects(link::Linker &linker, const archive::Archive &archive,
                void (link::Linker::*how)(const std::string &,
                                          std::span<const std::uint8_t>)) {
  for (const archive::Object &object : archive.objects)
    if (object.target == Target)
      (linker.*how)(object.source, object.bytes);
}

/// Some vertex types are for other targets only.
bool isForTarget(const archive::VertexType &vertex) {
  return std::ranges::any_of(vertex.targets,
                             [](const archive::VertexTarget &target) {
                               return target.target == Target;
                             });
}

/// Translates what is reached from an address: regions, and those that they
/// leave to.
unsigned translateFrom(emulator::Translator &translator, const CodeImage &image,
                       Address address, emulator::CodeKind kind) {
  std::vector<std::uint32_t> rest = {(address - image.base) / 4};
  std::set<std::uint32_t> seen;
  unsigned count = 0;
  while (!rest.empty()) {
    const std::uint32_t slot = rest.back();
    rest.pop_back();
    if (!seen.insert(slot).second)
      continue;
    const auto region = translator.translate(image, slot, kind);
    if (!region)
      continue; // only the interpreter can execute it
    ++count;
    seen.insert(region->entries.begin(), region->entries.end());
    for (std::uint32_t outside : region->outside)
      rest.push_back(region->first + outside);
  }
  return count;
}

/// A codelet to translate.
struct Kernel {
  const link::Linker *linker;
  std::string entry;
  VertexKind kind;
};

unsigned translate(emulator::Translator &translator, const Kernel &kernel) {
  const std::string roots[] = {kernel.entry};
  const link::LinkedImage linked = kernel.linker->link(roots);
  const Address entry = linked.entries.at(kernel.entry);
  using emulator::CodeKind;
  unsigned count =
      kernel.kind == VertexKind::Supervisor
          ? 0
          : translateFrom(translator, linked.image, entry, CodeKind::Plain);
  if (kernel.kind == VertexKind::Worker)
    return count;
  // Code that runs in epochs is recorded until its effects are memoised.
  if (kernel.kind == VertexKind::Multi)
    return count +
           translateFrom(translator, linked.image, entry, CodeKind::Recording);
  for (const Symbol &symbol : linked.image.symbols)
    if (symbol.address != entry)
      for (CodeKind kind : {CodeKind::Plain, CodeKind::Recording})
        count += translateFrom(translator, linked.image, symbol.address, kind);
  return count;
}

/// Translates all kernels, each thread with a translator of its own.
unsigned translateAll(const std::vector<Kernel> &kernels) {
  std::atomic<std::size_t> next = 0;
  std::atomic<unsigned> count = 0;
  const auto work = [&] {
    const auto translator = emulator::loadTranslator();
    for (std::size_t i; (i = next++) < kernels.size();)
      count += translate(*translator, kernels[i]);
  };
  std::vector<std::future<void>> threads;
  for (unsigned i = 0; i != std::thread::hardware_concurrency(); ++i)
    threads.push_back(std::async(std::launch::async, work));
  for (std::future<void> &thread : threads)
    thread.get();
  return count;
}

std::unique_ptr<link::Linker> linkerFor(const archive::Archive &library,
                                        const archive::Archive &device) {
  auto linker = std::make_unique<link::Linker>(*findTarget(Target));
  addObjects(*linker, library, &link::Linker::addObject);
  addObjects(*linker, device, &link::Linker::addLibraryObject);
  return linker;
}

/// Others may read what a cache keeps to itself.
void publish(const fs::path &from, const fs::path &to) {
  constexpr fs::perms File = fs::perms::owner_read | fs::perms::owner_write |
                             fs::perms::group_read | fs::perms::others_read;
  for (const fs::directory_entry &entry : fs::directory_iterator(from))
    fs::permissions(entry.path(), File);
  fs::permissions(from, File | fs::perms::owner_exec | fs::perms::group_exec |
                            fs::perms::others_exec);
  fs::rename(from, to);
}

void run(const fs::path &folder, const std::string &device,
         const std::vector<std::string> &libraries) {
  const fs::path work = folder.string() + ".new";
  // Delete the old output, or the translator would reuse it.
  fs::remove_all(folder);
  fs::remove_all(work);
  ::setenv("POPULUS_TRANSLATION_CACHE", work.c_str(), 1);
  ::setenv("POPULUS_TRANSLATION_CACHE_SIZE", "65536", 1);
  const archive::Archive deviceLibrary = archive::Archive::read(device);
  std::vector<std::unique_ptr<link::Linker>> linkers;
  std::vector<Kernel> kernels;
  for (const std::string &file : libraries) {
    const archive::Archive library = archive::Archive::read(file);
    linkers.push_back(linkerFor(library, deviceLibrary));
    for (const archive::VertexType &vertex : library.vertexTypes)
      if (isForTarget(vertex))
        kernels.push_back({linkers.back().get(), vertex.entry, vertex.kind});
  }
  const unsigned count = translateAll(kernels);
  publish(work, folder);
  std::cout << count << " regions translated\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::cerr << "usage: translate-kernels FOLDER DEVICE.gp LIBRARY.gp...\n";
    return 2;
  }
  try {
    run(argv[1], argv[2], {argv + 3, argv + argc});
    return 0;
  } catch (const std::exception &error) {
    std::cerr << "translate-kernels: error: " << error.what() << '\n';
    return 1;
  }
}
