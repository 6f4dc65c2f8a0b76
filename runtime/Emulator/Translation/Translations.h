// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects hot code and manages its translation. Every image has a table of host
// code by slot. The interpreter counts turns at the slot where code was
// entered. A hot slot is handed to a separate thread, which translates it and
// fills in the table; the next entry at the slot runs the host code. Results
// and cycles are equal in both, so the time of the translation does not matter.

#ifndef POPULUS_RUNTIME_EMULATOR_TRANSLATION_TRANSLATIONS_H
#define POPULUS_RUNTIME_EMULATOR_TRANSLATION_TRANSLATIONS_H

#include "runtime/Emulator/Translation/Translator.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace populus::runtime::emulator {

class Translations;

/// Translates for all images of a device.
class TranslationService {
public:
  /// With `wait` code is translated before it runs for the first time; else
  /// when it is hot, in the background.
  explicit TranslationService(bool wait);
  ~TranslationService();
  TranslationService(const TranslationService &) = delete;
  TranslationService &operator=(const TranslationService &) = delete;

  bool waits() const { return wait; }
  /// Returns false if the translator does not exist or has failed.
  bool available() const { return !missing; }

private:
  friend class Translations;

  struct Request {
    Translations *image;
    std::uint32_t slot;
    CodeKind kind;
  };

  void enqueue(const Request &request);
  /// Starts the thread. Returns false, after a note, if the system has none
  /// left.
  bool start();
  void serve();
  void translate(const Request &request);

  const bool wait;
  std::atomic<bool> missing = false;
  std::mutex translating; // guards translator
  std::unique_ptr<Translator> translator;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Request> queue; // guarded by mutex
  bool stopping = false;     // guarded by mutex
  std::thread thread;        // started with the first request
};

/// The translated code of one image.
class Translations {
public:
  Translations(TranslationService &service, const CodeImage &image);

  /// The host code that begins at a slot, or null.
  const TranslatedRegion *find(std::size_t slot, CodeKind kind) {
    const Entry &wanted = entry(slot, kind);
    if (const TranslatedRegion *region =
            wanted.region.load(std::memory_order_acquire)) [[likely]]
      return region;
    return service.waits() && !wanted.isTried.load(std::memory_order_acquire)
               ? translateNow(slot, kind)
               : nullptr;
  }

  /// The interpreter has executed so many turns since it came to the slot.
  void interpreted(std::size_t slot, CodeKind kind, std::int64_t turns);

  /// Returns whether workers that begin at the slot wait for each other, so
  /// that they have to be interleaved.
  bool takesTurns(std::size_t slot) const {
    return entry(slot, CodeKind::Recording)
        .takesTurns.load(std::memory_order_relaxed);
  }
  void setTakesTurns(std::size_t slot) {
    entry(slot, CodeKind::Recording)
        .takesTurns.store(true, std::memory_order_relaxed);
  }

private:
  friend class TranslationService;

  struct Entry {
    std::atomic<const TranslatedRegion *> region = nullptr;
    std::atomic<std::int32_t> turns = 0; // Requested and above: do not ask
    std::atomic<bool> takesTurns = false;
    std::atomic<bool> isTried =
        false; // and there is a region, or never will be
  };

  Entry &entry(std::size_t slot, CodeKind kind) {
    return entries[static_cast<unsigned>(kind)][slot];
  }
  const Entry &entry(std::size_t slot, CodeKind kind) const {
    return entries[static_cast<unsigned>(kind)][slot];
  }
  const TranslatedRegion *translateNow(std::size_t slot, CodeKind kind);

  TranslationService &service;
  const CodeImage &image;
  std::array<std::vector<Entry>, NumCodeKinds> entries; // by kind and slot
  std::vector<std::unique_ptr<TranslatedRegion>> regions;
};

} // namespace populus::runtime::emulator

#endif
