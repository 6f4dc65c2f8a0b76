// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counters, the queue, and the thread that serves it.

#include "runtime/Emulator/Translation/Translations.h"

#include <algorithm>
#include <iostream>
#include <system_error>

namespace populus::runtime::emulator {

namespace {

/// Turns after which translation will pay: it costs some 0.3 ms for an
/// instruction, and saves some nanoseconds whenever the instruction runs.
constexpr std::int32_t HotTurns = 100000;
/// The counter of a slot whose translation has been asked for.
constexpr std::int32_t Requested = 1 << 30;

} // namespace

TranslationService::TranslationService(bool wait) : wait(wait) {}

TranslationService::~TranslationService() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

void TranslationService::enqueue(const Request &request) {
  std::lock_guard lock(mutex);
  if (missing || (!thread.joinable() && !start()))
    return;
  queue.push_back(request);
  changed.notify_all();
}

bool TranslationService::start() {
  try {
    thread = std::thread([this] { serve(); });
    return true;
  } catch (const std::system_error &error) {
    missing = true;
    std::cerr << "note: code stays interpreted, for there is no thread to "
                 "translate it: "
              << error.code().message() << '\n';
    return false;
  }
}

void TranslationService::serve() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return stopping || !queue.empty(); });
    if (stopping)
      return;
    const Request request = queue.front();
    queue.pop_front();
    lock.unlock();
    translate(request);
    lock.lock();
  }
}

void TranslationService::translate(const Request &request) {
  std::lock_guard lock(translating);
  if (missing)
    return;
  try {
    if (!translator)
      translator = loadTranslator();
    Translations &image = *request.image;
    std::unique_ptr<TranslatedRegion> region =
        translator->translate(image.image, request.slot, request.kind);
    if (!region)
      return;
    for (std::uint32_t slot : region->entries) {
      Translations::Entry &entry = image.entry(slot, request.kind);
      entry.turns.store(Requested, std::memory_order_relaxed);
      entry.region.store(region.get(), std::memory_order_release);
    }
    image.regions.push_back(std::move(region));
  } catch (const std::exception &error) {
    // Code that has been translated stays in use.
    missing = true;
    if (wait || translator)
      std::cerr << "note: code is interpreted from now on: " << error.what()
                << '\n';
  }
}

Translations::Translations(TranslationService &service, const CodeImage &image)
    : service(service), image(image),
      entries{std::vector<Entry>(image.textBytes / 4),
              std::vector<Entry>(image.textBytes / 4)} {}

void Translations::interpreted(std::size_t slot, CodeKind kind,
                               std::int64_t turns) {
  std::atomic<std::int32_t> &counter = entry(slot, kind).turns;
  if (counter.load(std::memory_order_relaxed) >= Requested)
    return;
  const auto more =
      static_cast<std::int32_t>(std::min<std::int64_t>(turns, HotTurns));
  if (counter.fetch_add(more, std::memory_order_relaxed) + more < HotTurns)
    return;
  if (counter.exchange(Requested, std::memory_order_relaxed) < Requested)
    service.enqueue({this, static_cast<std::uint32_t>(slot), kind});
}

const TranslatedRegion *Translations::translateNow(std::size_t slot,
                                                   CodeKind kind) {
  // A second request waits for the first one's translation.
  Entry &wanted = entry(slot, kind);
  std::lock_guard lock(service.mutex);
  if (wanted.turns.exchange(Requested, std::memory_order_relaxed) < Requested)
    service.translate({this, static_cast<std::uint32_t>(slot), kind});
  wanted.isTried.store(true, std::memory_order_release);
  return wanted.region.load(std::memory_order_acquire);
}

} // namespace populus::runtime::emulator
