// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that a C++ program calls without naming them: new and delete,
// the stand-in for a pure virtual function, and libc++'s failures for values
// that it cannot accept (std::array::at, std::get).

#include <new>
#include <stdint.h>
#include <stdlib.h>

void *operator new(size_t size) {
  void *memory = malloc(size);
  if (!memory)
    __builtin_trap();
  return memory;
}
void *operator new[](size_t size) { return operator new(size); }
void *operator new(size_t size, const std::nothrow_t &) noexcept {
  return malloc(size);
}
void *operator new[](size_t size, const std::nothrow_t &) noexcept {
  return malloc(size);
}
void operator delete(void *memory) noexcept { free(memory); }
void operator delete[](void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
void operator delete[](void *memory, size_t) noexcept { free(memory); }
const std::nothrow_t std::nothrow{};

// The address that malloc has returned stands in front of memory that is
// aligned beyond malloc's alignment.
void *operator new(size_t size, std::align_val_t alignment) {
  size_t align = size_t(alignment);
  char *block =
      static_cast<char *>(operator new(size + align + sizeof(void *)));
  uintptr_t first = reinterpret_cast<uintptr_t>(block) + sizeof(void *);
  auto *memory = reinterpret_cast<void **>((first + align - 1) & -align);
  memory[-1] = block;
  return memory;
}
void *operator new[](size_t size, std::align_val_t alignment) {
  return operator new(size, alignment);
}
void operator delete(void *memory, std::align_val_t) noexcept {
  if (memory)
    free(static_cast<void **>(memory)[-1]);
}
void operator delete[](void *memory, std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}
void operator delete(void *memory, size_t,
                     std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}
void operator delete[](void *memory, size_t,
                       std::align_val_t alignment) noexcept {
  operator delete(memory, alignment);
}

extern "C" {
[[noreturn]] void __cxa_pure_virtual() { __builtin_trap(); }
[[noreturn]] void __cxa_deleted_virtual() { __builtin_trap(); }
}

_LIBCPP_BEGIN_NAMESPACE_STD
[[noreturn]] void __libcpp_verbose_abort(const char *, ...) {
  __builtin_trap();
}
_LIBCPP_END_NAMESPACE_STD
