// Common uses of the C++ library, and kinds of characters.
#include <array>
#include <cctype>
#include <cmath>
#include <complex>
#include <cstdio>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

struct Shape {
  virtual float area() const = 0;
  virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  explicit Square(float side) : side(side) {}
  float area() const override { return side * side; }
  ~Square() override { printf("square of %g\n", side); }
};

template <typename T> static void show(std::complex<T> x) {
  auto part = [](T value) {
    // The signs of NaN and zero are nobody's business.
    if (std::isnan(value))
      printf("nan ");
    else
      printf("%.5g ", value == 0 ? 0.0 : double(value));
  };
  part(x.real());
  part(x.imag());
}

template <typename T> static void complexNumbers() {
  const T inf = INFINITY;
  const T nan = NAN;
  volatile T values[] = {0, 1, -2.5, inf, -inf, nan, T(1e18), T(-1e-18)};
  for (volatile T &a : values)
    for (volatile T &b : values)
      for (std::complex<T> y : {std::complex<T>(b, a), std::complex<T>(a, 1),
                                std::complex<T>(T(3e-20), b)}) {
        show(std::complex<T>(a, b) * y);
        show(std::complex<T>(b, a) / y);
        printf("\n");
      }
}

struct alignas(32) Wide {
  int value = 5;
};

int main() {
  std::unique_ptr<Wide> wide(new Wide);
  printf("%d %d\n", wide->value,
         int(reinterpret_cast<size_t>(wide.get()) % 32));
  std::vector<int> numbers;
  for (int i = 0; i != 20; ++i)
    numbers.push_back(i * i);
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>(0.5f));
  std::array<int, 3> three = {1, 2, 3};
  std::variant<int, float> either = 2.5f;
  std::optional<int> maybe = numbers[3];
  printf("%d %g %d %g %d\n", numbers.at(7), shapes[0]->area(), three.at(2),
         std::get<float>(either), maybe.value());
  for (int c = -1; c != 256; ++c)
    printf("%d%d%d%d%d%d%d%d%d%d%d%d %d %d\n", !!isalnum(c), !!isalpha(c),
           !!isblank(c), !!iscntrl(c), !!isdigit(c), !!isgraph(c), !!islower(c),
           !!isprint(c), !!ispunct(c), !!isspace(c), !!isupper(c),
           !!isxdigit(c), toupper(c), tolower(c));
  complexNumbers<float>();
  complexNumbers<double>();
}
