// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A codelet that computes a few thousand words by everything that C++ can do
// with integers, bytes, floats, doubles, halves, structures and calls, from
// pseudo-random numbers. The same source runs as host code and as IPU code, and
// the words must be equal.

#include <poplar/Vertex.hpp>
using U = unsigned;
using I = int;
using LL = long long;
using ULL = unsigned long long;
struct Sink {
  unsigned *p;
  unsigned n;
  void put(U v) { p[n++] = v; }
  void putf(float f) {
    U u;
    __builtin_memcpy(&u, &f, 4);
    put(u);
  }
  void putll(ULL v) {
    put((U)v);
    put((U)(v >> 32));
  }
};
static U seed;
static U rnd() {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 7) ^ (seed << 11);
}
struct S5 {
  int a;
  char b;
  short c;
  long long d;
  float f;
};
__attribute__((noinline)) S5 mk(int x, float f) {
  S5 s;
  s.a = x;
  s.b = (char)(x * 3);
  s.c = (short)(x * 7);
  s.d = (LL)x * x * x;
  s.f = f;
  return s;
}
__attribute__((noinline)) LL use(S5 s, int q) {
  return s.a + s.b * 3 + s.c + s.d + q + (int)s.f;
}
__attribute__((noinline)) U sw(U x) {
  switch (x % 9) {
  case 0:
    return x * 3;
  case 1:
    return x ^ 0x55;
  case 2:
    return x >> 3;
  case 3:
    return ~x;
  case 4:
    return x + 77;
  case 5:
    return x | 1;
  case 6:
    return x << 5;
  case 7:
    return x - 1000;
  default:
    return 42;
  }
}
__attribute__((noinline)) U many(int a, int b, int c, int d, int e, float f,
                                 float g, float h, float i, float j, float k,
                                 float l, LL m) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e +
         (int)(f + 2 * g + 3 * h + 4 * i + 5 * j + 6 * k + 7 * l) + (U)(m >> 3);
}
__attribute__((noinline)) U va(int n, ...) {
  __builtin_va_list ap;
  __builtin_va_start(ap, n);
  U s = 0;
  for (int i = 0; i < n; i++) {
    s += __builtin_va_arg(ap, int);
    double d = __builtin_va_arg(ap, double);
    s += (int)d;
    LL l = __builtin_va_arg(ap, LL);
    s ^= (U)(l >> 5);
  }
  __builtin_va_end(ap);
  return s;
}
typedef U (*Fn)(U);
__attribute__((noinline)) U f1(U x) { return x * 5 + 1; }
__attribute__((noinline)) U f2(U x) { return x / 7; }
__attribute__((noinline)) U apply(Fn f, U x) { return f(x) + f(x + 1); }
static Fn volatile fns[3] = {f1, f2, sw};
__attribute__((noinline)) U fibonacci(U n) {
  U a = 0, b = 1;
  while (n--) {
    U c = a + b;
    a = b;
    b = c;
  }
  return a;
}
volatile char vc;
volatile short vs;
volatile unsigned char vuc;
static char bytes[64];
static short shorts[32];

class Diff : public poplar::Vertex {
public:
  poplar::Output<poplar::Vector<unsigned>> out;
  poplar::Input<poplar::Vector<unsigned>> in;
  bool compute() {
    Sink k{&out[0], 0};
    seed = in[0];
    for (int t = 0; t < 12; t++) {
      U a = rnd(), b = rnd();
      I sa = a, sb = b;
      k.put(a + b);
      k.put(a - b);
      k.put(a * b);
      k.put(a / (b | 1));
      k.put(a % (b | 1));
      k.put(sa / (sb | 1));
      k.put(sa % (sb | 1));
      k.put(a << (b & 31));
      k.put(a >> (b & 31));
      k.put(sa >> (b & 31));
      k.put(a < b);
      k.put(sa < sb);
      k.put(a <= b);
      k.put(sa >= sb);
      k.put(a == b);
      k.put(a / 10);
      k.put(sa / 10);
      k.put(a % 1000);
      k.put(sa % -17);
      k.put(__builtin_clz(a | 1));
      k.put(__builtin_ctz(a | 1u << 31));
      k.put(__builtin_popcount(a));
      k.put(__builtin_bswap32(a));
      k.put(__builtin_bitreverse32(a));
      k.put(sa < sb ? a : b);
      k.put(a < b ? a : b);
      k.put(sa > sb ? sa : sb);
      k.put(sa < 0 ? -sa : sa);
      ULL x = ((ULL)a << 32) | b, y = ((ULL)rnd() << 32) | rnd();
      LL sx = x, sy = y;
      k.putll(x + y);
      k.putll(x - y);
      k.putll(x * y);
      k.putll(x / (y | 1));
      k.putll(x % (y | 1));
      k.putll(sx / (sy | 1));
      k.putll(sx % (sy >> 40 | 1));
      k.putll(x << (b & 63));
      k.putll(x >> (b & 63));
      k.putll(sx >> (b & 63));
      k.put(x < y);
      k.put(sx < sy);
      k.putll((ULL)a * b);
      k.putll((LL)sa * sb);
      k.put((char)a);
      k.put((unsigned char)a);
      k.put((short)a);
      k.put((unsigned short)a);
      k.put((a << 13) | (a >> 19));
      k.put(sw(a));
      k.put(sw(b));
    }
    for (int i = 0; i < 64; i++)
      bytes[i] = (char)rnd();
    for (int i = 0; i < 32; i++)
      shorts[i] = (short)rnd();
    for (int i = 0; i < 63; i++) {
      bytes[i] = bytes[i] + bytes[i + 1] * 3;
    }
    for (int i = 0; i < 31; i++)
      shorts[i] ^= shorts[i + 1] >> 2;
    bytes[5] = 1;
    bytes[6] = 2;
    bytes[7] = 3;
    bytes[8] = 4;
    shorts[3] = 7;
    shorts[4] = 9;
    __builtin_memmove(bytes + 3, bytes + 10, 17);
    U h = 0;
    for (int i = 0; i < 64; i++)
      h = h * 31 + (unsigned char)bytes[i];
    for (int i = 0; i < 32; i++)
      h = h * 37 + (unsigned short)shorts[i];
    k.put(h);
    vc = (char)200;
    k.put(vc);
    vs = (short)40000;
    k.put(vs);
    vuc = (unsigned char)300;
    k.put(vuc);
    for (int i = 0; i < 6; i++) {
      S5 s = mk((int)rnd() >> 20, (float)i * 1.5f);
      k.putll(use(s, i));
      k.putf(s.f);
    }
    k.put(
        many(1, 2, 3, 4, 5, 1.f, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, -12345678901LL));
    k.put(va(2, 5, 2.75, 123456789012LL, 7, -3.5, -99LL));
    for (int i = 0; i < 3; i++)
      k.put(apply(fns[i], rnd()));
    k.put(fibonacci(12));
    for (int i = 0; i < 12; i++) {
      float x = (float)(int)rnd() * (1.0f / 65536),
            y = (float)(rnd() >> 8) * (1.0f / 1024) + 0.5f;
      k.putf(x + y);
      k.putf(x - y);
      k.putf(x * y);
      k.putf(x / y);
      k.putf(-x);
      k.putf(__builtin_fabsf(x));
      k.putf(__builtin_sqrtf(y));
      k.put((int)x);
      k.put((U)y);
      k.put((U)(int)(x * 3));
      k.put(x < y);
      k.put(x <= y);
      k.put(x > y);
      k.put(x >= y);
      k.put(x == y);
      k.put(x != y);
      k.putf(x < y ? x : y);
      k.putf(__builtin_fminf(x, y));
      k.putf(__builtin_fmaxf(x, y));
      k.putf(__builtin_floorf(x));
      k.putf(__builtin_ceilf(x));
      k.putf(__builtin_truncf(x));
      k.putf(__builtin_rintf(x));
      k.putf(__builtin_roundf(x));
      k.putf(__builtin_copysignf(y, x));
      k.putf((float)rnd());
      k.putf((float)(LL)(((ULL)rnd() << 32) | 5));
      k.putll((LL)(x * 1000.f));
      float nan = __builtin_nanf("");
      k.put(!(x < nan));
      k.put(x != nan);
      k.put(__builtin_isunordered(x, nan));
      k.put(__builtin_islessgreater(x, y));
      k.put(!(x >= nan));
      double d = x, e = y;
      d = d * e + 1.25;
      k.putll(__builtin_bit_cast(ULL, d));
      k.putf((float)(d / e));
      k.put(d < e);
      k.put((int)d);
      _Float16 hx = (_Float16)(x * 0.0001f), hy = (_Float16)(y * 0.001f);
      hx = hx * hy + hx;
      k.putf((float)hx);
      k.put((unsigned short)__builtin_bit_cast(unsigned short, hx));
      k.put(hx < hy);
    }

    out[out.size() - 1] = k.n;
    return true;
  }
};
