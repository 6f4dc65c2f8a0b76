// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Callback of a host function. A program gives the Engine a subclass of
// HostCallback, or any callable with the same arguments.

#ifndef POPULUS_INCLUDE_POPLAR_HOSTFUNCTIONCALLBACK_HPP
#define POPULUS_INCLUDE_POPLAR_HOSTFUNCTIONCALLBACK_HPP

#include <poplar/ArrayRef.hpp>

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace poplar {

/// Computes the outputs from the inputs. Each pointer is to the elements of one
/// argument and is valid during the call only.
class HostCallback {
public:
  virtual ~HostCallback() {}
  virtual void operator()(ArrayRef<const void *> inputs,
                          ArrayRef<void *> outputs) = 0;
};

class HostCallbackHandle {
  using Function =
      std::function<void(ArrayRef<const void *>, ArrayRef<void *>)>;
  class Callable : public HostCallback {
  public:
    explicit Callable(Function function) : function(std::move(function)) {}
    void operator()(ArrayRef<const void *> inputs,
                    ArrayRef<void *> outputs) override {
      function(inputs, outputs);
    }

  private:
    Function function;
  };

  /// Returns null for an empty function, which the handle's user rejects.
  static HostCallback *wrap(Function function) {
    return function ? new Callable(std::move(function)) : nullptr;
  }

public:
  template <typename C, typename = typename std::enable_if<
                            std::is_base_of<HostCallback, C>::value>::type>
  HostCallbackHandle(std::unique_ptr<C> callback)
      : callback(std::move(callback)) {}
  template <typename F,
            typename = decltype(std::declval<F &>()(
                std::declval<ArrayRef<const void *>>(),
                std::declval<ArrayRef<void *>>())),
            typename = typename std::enable_if<!std::is_same<
                typename std::decay<F>::type, HostCallbackHandle>::value>::type>
  HostCallbackHandle(F &&function)
      : callback(wrap(Function(std::forward<F>(function)))) {}

  HostCallbackHandle(HostCallbackHandle &&) = default;
  HostCallbackHandle &operator=(HostCallbackHandle &&) = default;

  HostCallback *operator->() const { return callback.get(); }
  std::unique_ptr<HostCallback> release() { return std::move(callback); }

private:
  std::unique_ptr<HostCallback> callback;
};

} // namespace poplar

#endif
