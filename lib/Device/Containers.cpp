// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiled part of libc++ for strings, shared pointers and hash tables:
// explicit instantiations of std::string's functions, and some functions that
// are no templates. Plain programs have one thread, so counting owners needs no
// atomic access.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>

_LIBCPP_BEGIN_NAMESPACE_STD

// ---- Strings ----------------------------------------------------------------

template class basic_string<char>;
template string operator+(const char *, const string &);

template <typename T> static string formatted(const char *format, T value) {
  // The longest one is the largest double with %f.
  char text[320];
  snprintf(text, sizeof(text), format, value);
  return text;
}

string to_string(int value) { return formatted("%d", value); }
string to_string(unsigned value) { return formatted("%u", value); }
string to_string(long value) { return formatted("%ld", value); }
string to_string(unsigned long value) { return formatted("%lu", value); }
string to_string(long long value) { return formatted("%lld", value); }
string to_string(unsigned long long value) { return formatted("%llu", value); }
string to_string(float value) { return formatted("%f", double(value)); }
string to_string(double value) { return formatted("%f", value); }
string to_string(long double value) { return formatted("%f", double(value)); }

/// Parses a number. Traps where libc++ throws: if there is no number, or if it
/// is out of range.
template <typename T, typename Parse>
static T parsed(const string &text, size_t *end, Parse parse) {
  char *after = nullptr;
  const int before = errno;
  errno = 0;
  const T value = parse(text.c_str(), &after);
  if (after == text.c_str() || errno == ERANGE)
    __builtin_trap();
  errno = before;
  if (end)
    *end = size_t(after - text.c_str());
  return value;
}

long stol(const string &text, size_t *end, int base) {
  return parsed<long>(text, end, [base](const char *at, char **after) {
    return strtol(at, after, base);
  });
}
int stoi(const string &text, size_t *end, int base) {
  return int(stol(text, end, base));
}
unsigned long stoul(const string &text, size_t *end, int base) {
  return parsed<unsigned long>(text, end, [base](const char *at, char **after) {
    return strtoul(at, after, base);
  });
}
long long stoll(const string &text, size_t *end, int base) {
  return parsed<long long>(text, end, [base](const char *at, char **after) {
    return strtoll(at, after, base);
  });
}
unsigned long long stoull(const string &text, size_t *end, int base) {
  return parsed<unsigned long long>(text, end,
                                    [base](const char *at, char **after) {
                                      return strtoull(at, after, base);
                                    });
}
float stof(const string &text, size_t *end) {
  return parsed<float>(text, end, strtof);
}
double stod(const string &text, size_t *end) {
  return parsed<double>(text, end, strtod);
}
long double stold(const string &text, size_t *end) {
  return parsed<long double>(text, end, strtold);
}

// ---- Shared pointers --------------------------------------------------------

__shared_count::~__shared_count() {}
__shared_weak_count::~__shared_weak_count() {}

// The counts are one less than the numbers of owners.
void __shared_weak_count::__release_weak() noexcept {
  if (__shared_weak_owners_-- == 0)
    __on_zero_shared_weak();
}

__shared_weak_count *__shared_weak_count::lock() noexcept {
  if (__shared_owners_ == -1)
    return nullptr;
  ++__shared_owners_;
  return this;
}

const void *
__shared_weak_count::__get_deleter(const type_info &) const noexcept {
  return nullptr;
}

// ---- Hash tables ------------------------------------------------------------

/// The smallest prime number that is not less; 0 for 0.
size_t __next_prime(size_t number) {
  const auto isPrime = [](size_t candidate) {
    for (size_t divisor = 2; divisor <= candidate / divisor; ++divisor)
      if (candidate % divisor == 0)
        return false;
    return candidate > 1;
  };
  while (number != 0 && !isPrime(number))
    ++number;
  return number;
}

_LIBCPP_END_NAMESPACE_STD
