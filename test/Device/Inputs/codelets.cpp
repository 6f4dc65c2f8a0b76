#include <cmath>
#include <cstring>
#include <poplar/Vertex.hpp>

using namespace poplar;

// Each function of each number, one after the other.
class Maths : public Vertex {
public:
  Input<Vector<float>> x;
  Output<Vector<float>> y;
  void compute() {
    unsigned n = 0;
    for (unsigned i = 0; i != x.size(); ++i) {
      float a = x[i];
      y[n++] = std::sin(a);
      y[n++] = std::cos(a);
      y[n++] = std::tan(a);
      y[n++] = std::atan(a);
      y[n++] = std::sinh(a);
      y[n++] = std::erf(a);
      y[n++] = std::pow(2.5f, a);
      y[n++] = std::cbrt(a);
      y[n++] = std::expm1(a);
      y[n++] = std::fmod(a, 0.75f);
      y[n++] = std::atan2(a, 2.0f);
      y[n++] = std::round(a);
      y[n++] = std::floor(a);
      y[n++] = std::log1p(a * a);
      y[n++] = static_cast<float>(1.0 / (static_cast<double>(a) * 3 + 1e3));
      y[n++] = static_cast<float>(static_cast<long long>(a * 1e6f) * 1000);
    }
  }
};

// The same in both contexts: workers and the supervisor call the same library.
#define BOTH_CONTEXTS __attribute__((target("both"), noinline))

BOTH_CONTEXTS static void integers(const unsigned *x, unsigned count,
                                   unsigned *y) {
  unsigned n = 0;
  for (unsigned i = 0; i + 1 < count; ++i) {
    unsigned a = x[i], b = x[i + 1] | 1;
    y[n++] = a / b;
    y[n++] = a % b;
    y[n++] = static_cast<unsigned>(static_cast<int>(a) / static_cast<int>(b));
    y[n++] = static_cast<unsigned>(static_cast<int>(a) % static_cast<int>(b));
    unsigned long long wide = static_cast<unsigned long long>(a) * b + 7;
    y[n++] = static_cast<unsigned>(wide >> 32);
    y[n++] = static_cast<unsigned>(wide / (b >> 3 | 1));
    y[n++] = static_cast<unsigned>(wide % (b | 5));
    y[n++] = static_cast<unsigned>((wide << (b % 64)) >> 32);
    y[n++] = static_cast<unsigned>(static_cast<long long>(wide) >> (a % 64));
  }
  // Blocks at all distances from eight bytes' alignment, also long ones.
  alignas(8) unsigned char bytes[61];
  std::memset(bytes, static_cast<int>(x[0]), sizeof(bytes));
  std::memmove(bytes + 1, &x[0], 7);
  std::memset(bytes + 12 + x[0] % 2, 0, 20 + x[0]);
  std::memcpy(bytes + 32, &x[0], 16 + x[0]);
  std::memcpy(bytes + 56, &x[1], x[0] / 2);
  y[n] = 0;
  for (unsigned char byte : bytes)
    y[n] = y[n] * 31 + byte;
}

class Integers : public Vertex {
public:
  Input<Vector<unsigned, VectorLayout::SPAN, 8>> x;
  Output<Vector<unsigned>> y;
  void compute() { integers(&x[0], x.size(), &y[0]); }
};

class SupervisorIntegers : public SupervisorVertex {
public:
  Input<Vector<unsigned, VectorLayout::SPAN, 8>> x;
  Output<Vector<unsigned>> y;
  __attribute__((target("supervisor"))) bool compute() {
    integers(&x[0], x.size(), &y[0]);
    return true;
  }
};
