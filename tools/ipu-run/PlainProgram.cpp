// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a plain program's tile, from low to high addresses:
//
//    code and data | start information | heap | guard | stack | worker scratch
//
// lib/Device/Start.c reads the start information. The linker computes the size
// of the stack; a recursive program gets half of the free memory. The guard
// words must not change: they show at the end whether the stack was large
// enough.

#include "PlainProgram.h"

#include "lib/Archive/Archive.h"
#include "lib/Link/Linker.h"
#include "runtime/Session/HostCalls.h"
#include "runtime/Session/RunControl.h"
#include "runtime/Support/InputStream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace populus::run {

using namespace runtime;

namespace {

constexpr const char *StartSymbol = "__populus_start";
constexpr std::uint32_t Alignment = 8;
/// Extra stack for alloca and variable-length arrays, which frame sizes do not
/// include.
constexpr std::uint32_t ExtraStackBytes = 16 << 10;

/// Guard words below the stack; a stack overflow overwrites them.
constexpr std::array<std::uint32_t, 16> Guard = {
    0x9d2c5680, 0xefc60000, 0x5bd1e995, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f,
    0x165667b1, 0x9e3779b1, 0x7feb352d, 0x846ca68b, 0xcc9e2d51, 0x1b873593,
    0xe6546b64, 0x38b34ae5, 0xa1e38b93, 0x2545f491};

/// struct Start of lib/Device/Start.c.
struct StartInfo {
  Address heapBegin;
  Address heapEnd;
  std::uint32_t numArguments;
  Address arguments;
  std::uint32_t clockHz;
};

std::vector<std::uint8_t> readObject(const std::string &file) {
  if (!std::filesystem::exists(file))
    throw PlainProgramError(file + ": there is no such file");
  std::ifstream in(file, std::ios::binary);
  auto bytes = runtime::readAll<std::vector<std::uint8_t>>(in);
  if (!in.is_open() || in.bad() || std::filesystem::is_directory(file))
    throw PlainProgramError(file + ": cannot be read");
  return bytes;
}

archive::Archive deviceLibrary() {
  const auto self = std::filesystem::canonical("/proc/self/exe");
  return archive::Archive::read(self.parent_path().parent_path() / "lib" /
                                "populus" / "device.gp");
}

link::LinkedImage linkImage(const std::vector<std::string> &files,
                            const TargetInfo &target) {
  link::Linker linker(target);
  for (const std::string &file : files)
    linker.addObject(file, readObject(file));
  for (const archive::Object &object : deviceLibrary().objects)
    if (object.target == target.name)
      linker.addLibraryObject(object.source, object.bytes);
  const std::string roots[] = {StartSymbol};
  return linker.link(roots, link::Purpose::Program);
}

Address alignUp(std::uint64_t value) {
  return static_cast<Address>((value + Alignment - 1) / Alignment * Alignment);
}

void addData(Executable &executable, const char *name, Address address,
             const void *data, std::uint32_t bytes) {
  const auto *first = static_cast<const std::uint8_t *>(data);
  executable.data.push_back(
      {0, address, static_cast<std::uint32_t>(executable.payloads.size()),
       bytes, 0});
  executable.payloads.push_back({name, {first, first + bytes}});
}

/// Bytes of argv for main(), as they lie in memory from `begin` on: the
/// pointers, a null pointer, and the strings.
std::vector<std::uint8_t>
argumentBytes(Address begin, const std::vector<std::string> &arguments) {
  std::vector<Address> pointers;
  std::string texts;
  for (const std::string &argument : arguments) {
    pointers.push_back(
        begin + static_cast<Address>((arguments.size() + 1) * sizeof(Address) +
                                     texts.size()));
    texts.append(argument.c_str(), argument.size() + 1);
  }
  pointers.push_back(0);
  const auto *first = reinterpret_cast<const std::uint8_t *>(pointers.data());
  std::vector<std::uint8_t> bytes(first,
                                  first + pointers.size() * sizeof(Address));
  bytes.insert(bytes.end(), texts.begin(), texts.end());
  return bytes;
}

void addCode(Executable &executable, const TargetInfo &target,
             const link::LinkedImage &linked,
             const std::vector<std::string> &arguments) {
  const std::uint64_t end =
      std::uint64_t(linked.image.base) + linked.image.bytes.size();
  const Address state = alignUp(end);
  const Address workerBase = target.regions[1].end - WorkerScratchBytes;
  const Address argv = state + Address(sizeof(StartInfo));
  const std::vector<std::uint8_t> argvBytes = argumentBytes(argv, arguments);
  const std::uint64_t heapBegin = alignUp(argv + argvBytes.size());
  const std::uint64_t fixed =
      heapBegin - linked.image.base + sizeof(Guard) + WorkerScratchBytes;
  const std::uint64_t needed = fixed + linked.stackBytes + ExtraStackBytes;
  const std::uint64_t available = target.regions[1].end - linked.image.base;
  const std::uint32_t codeSpace =
      target.regions[0].end - target.regions[0].begin;
  if (linked.image.textBytes > codeSpace)
    throw OutOfMemoryError(
        "the program has " + std::to_string(linked.image.textBytes) +
        " bytes of code, but a tile of " + std::string(target.name) +
        " can execute " + std::to_string(codeSpace) + "; compile it with -Os");
  if (needed > available)
    throw OutOfMemoryError("the program needs " + std::to_string(needed) +
                           " bytes, but a tile of " + std::string(target.name) +
                           " has " + std::to_string(available));
  std::uint64_t stackBytes = linked.stackBytes + ExtraStackBytes;
  if (linked.isRecursive)
    stackBytes = std::max(stackBytes, (available - fixed) / 2);
  const auto stackBegin =
      static_cast<Address>((workerBase - stackBytes) / Alignment * Alignment);
  const StartInfo start = {static_cast<Address>(heapBegin),
                           stackBegin - Address(sizeof(Guard)),
                           static_cast<std::uint32_t>(arguments.size()), argv,
                           static_cast<std::uint32_t>(target.clockHz)};
  addData(executable, "start", state, &start, sizeof(start));
  addData(executable, "arguments", argv, argvBytes.data(),
          static_cast<std::uint32_t>(argvBytes.size()));
  addData(executable, "guard", start.heapEnd, &Guard, sizeof(Guard));
  TileSetup setup;
  setup.image = 0;
  setup.workerBase.fill(workerBase);
  setup.stackBegin = stackBegin;
  setup.supervisorStack = workerBase;
  executable.tileSetups.push_back(setup);
  executable.tileSetup = {0};
  executable.images.push_back(linked.image);
  executable.regions.push_back(
      {start.heapBegin, start.heapEnd - start.heapBegin, 0});
  executable.firstRegion = {0};
  executable.vertices.push_back({0, linked.entries.at(StartSymbol), state, 0});
}

/// Checks the guard below the stack after a run. Returns an error message, or
/// an empty string if the guard is intact.
std::string stackOverflow(const Session &session) {
  const TileSetup &setup = session.executable().tileSetups[0];
  const Session::TileBytes memory = session.tileMemory(0);
  const std::byte *guard =
      memory.bytes.data() + (setup.stackBegin - memory.begin) - sizeof(Guard);
  if (std::memcmp(guard, &Guard, sizeof(Guard)) == 0)
    return {};
  return "the program's stack has got larger than its " +
         std::to_string(setup.workerBase[0] - setup.stackBegin) +
         " bytes and has overwritten the heap; call less deeply or with "
         "smaller local variables";
}

/// Passes on what the program prints and reads, and keeps its exit status.
class StandardStreams : public HostCalls {
public:
  explicit StandardStreams(const RunControl *control) : control(control) {}

  int status = 0;

  bool exit(std::int32_t value) override {
    status = value;
    return true;
  }

  std::int32_t write(std::uint32_t stream, std::string_view bytes) override {
    if (stream != 1 && stream != 2)
      return -1;
    (stream == 1 ? std::cout : std::cerr) << bytes;
    // Whole lines are seen, however the program ends.
    if (stream == 1 && bytes.ends_with('\n'))
      std::cout.flush();
    return static_cast<std::int32_t>(bytes.size());
  }

  /// Reads at most one line from a terminal; from a file, reads what is
  /// available.
  std::string read(std::size_t bytes) override {
    std::cout.flush();
    if (control && control->interrupt)
      return {}; // nothing to wait for: the program is to end
    std::string part(std::min<std::size_t>(bytes, MostAtOnce), 0);
    const ssize_t count = ::read(STDIN_FILENO, part.data(), part.size());
    part.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    input += part;
    return part;
  }

  std::string_view consumed() const override { return input; }

  std::uint32_t time() override {
    return static_cast<std::uint32_t>(std::time(nullptr));
  }

private:
  static constexpr std::size_t MostAtOnce = 1 << 16;
  const RunControl *control;
  std::string input;
};

} // namespace

std::shared_ptr<const Executable>
linkPlainProgram(const std::vector<std::string> &files,
                 const std::vector<std::string> &arguments,
                 const std::string &targetName) {
  const TargetInfo &target = *findTarget(targetName);
  auto executable = std::make_shared<Executable>();
  executable->device = DeviceKind::Ipu;
  executable->target = targetName;
  executable->tilesPerIpu = 1;
  try {
    std::vector<std::string> argv = {"main"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    addCode(*executable, target, linkImage(files, target), argv);
  } catch (const link::LinkError &error) {
    throw PlainProgramError(error.what());
  } catch (const archive::ArchiveError &error) {
    throw PlainProgramError(error.what());
  }
  // For the checker: the heap is the program's, and malloc() aligns it.
  executable->vertexTypes.push_back(
      {"main",
       VertexKind::Worker,
       executable->regions[0].address - executable->vertices[0].state,
       {{"heap", 0, 0, FieldAccess::Value, 1, 16, true}}});
  executable->tileVertices.push_back({0, {0, 1}});
  executable->computeSets.push_back({"program", {0, 1}});
  Step step;
  step.kind = StepKind::Execute;
  executable->steps.push_back(step);
  executable->programs.push_back(0);
  return executable;
}

PlainProgramResult
runPlainProgram(std::shared_ptr<const Executable> executable,
                SessionOptions options,
                const std::function<void(const Session &)> &atEnd) {
  StandardStreams streams(options.control);
  options.threads = 1;
  options.hostCalls = &streams;
  auto session = Session::create(std::move(executable), options);
  try {
    session->run(0);
  } catch (...) {
    std::cout.flush();
    atEnd(*session);
    if (const std::string overflow = stackOverflow(*session); !overflow.empty())
      std::cerr << "ipu-run: note: " << overflow << '\n';
    throw;
  }
  std::cout.flush();
  atEnd(*session);
  if (const std::string overflow = stackOverflow(*session); !overflow.empty())
    throw RunError(overflow);
  return {streams.status, session->stats()};
}

} // namespace populus::run
