// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Callback of a stream. A program gives the Engine a subclass of
// StreamCallback, or any callable that takes the buffer.

#ifndef POPULUS_INCLUDE_POPLAR_STREAMCALLBACK_HPP
#define POPULUS_INCLUDE_POPLAR_STREAMCALLBACK_HPP

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace poplar {

/// Serves one stream. For a stream to the device, fetch() fills the buffer
/// before the transfer. For a stream to the host, it reads the buffer after the
/// transfer.
class StreamCallback {
public:
  enum class Result { Success, NotAvailable };

  virtual ~StreamCallback() {}
  /// Fetches ahead of time. May return that there is no data yet.
  virtual Result prefetch(void *buffer) = 0;
  virtual void fetch(void *buffer) = 0;
  /// The data of the last fetch or prefetch is on the device.
  virtual void complete() {}
  /// The data of the last prefetch was not used.
  virtual void invalidatePrefetched() {}
};

/// A callback without prefetch.
class LegacyStreamCallback : public StreamCallback {
public:
  Result prefetch(void *) final { return Result::NotAvailable; }
  void complete() final {}
};

class StreamCallbackHandle {
  class Callable : public LegacyStreamCallback {
  public:
    explicit Callable(std::function<void(void *)> function)
        : function(std::move(function)) {}
    void fetch(void *buffer) override { function(buffer); }

  private:
    std::function<void(void *)> function;
  };

  /// Returns null for an empty function, which the handle's user rejects.
  static StreamCallback *wrap(std::function<void(void *)> function) {
    return function ? new Callable(std::move(function)) : nullptr;
  }

public:
  template <typename C, typename = typename std::enable_if<
                            std::is_base_of<StreamCallback, C>::value>::type>
  StreamCallbackHandle(std::unique_ptr<C> callback)
      : callback(std::move(callback)) {}
  template <
      typename F,
      typename = decltype(std::declval<F &>()(std::declval<void *>())),
      typename = typename std::enable_if<!std::is_same<
          typename std::decay<F>::type, StreamCallbackHandle>::value>::type>
  StreamCallbackHandle(F &&function)
      : callback(wrap(std::function<void(void *)>(std::forward<F>(function)))) {
  }

  StreamCallbackHandle(StreamCallbackHandle &&) = default;
  StreamCallbackHandle &operator=(StreamCallbackHandle &&) = default;

  StreamCallback *operator->() const { return callback.get(); }
  std::unique_ptr<StreamCallback> release() { return std::move(callback); }

private:
  std::unique_ptr<StreamCallback> callback;
};

} // namespace poplar

#endif
