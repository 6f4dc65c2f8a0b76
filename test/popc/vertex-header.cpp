// <poplar/Vertex.hpp> alone brings what codelets use without another include.
// RUN: popc %s -Wall -Werror -o %t.gp
// RUN: popc %s -O0 -Wall -Werror -o %t.gp

#include <poplar/Vertex.hpp>

static_assert(std::is_same<float, float>::value && std::is_integral_v<int>);
static_assert(std::numeric_limits<float>::max() > 1e38f);
static_assert(std::numeric_limits<half>::max() == half(65504));
static_assert(sizeof(float2) == 8 && sizeof(float4) == 16 &&
              sizeof(half2) == 4 && sizeof(half4) == 8 && sizeof(short2) == 4 &&
              sizeof(short4) == 8 && sizeof(char4) == 4 && sizeof(int2) == 8 &&
              sizeof(ushort2) == 4 && sizeof(uint2) == 8 && sizeof(long2) == 8);
static_assert(CSR_W_FP_CLR__ZAACC__SHIFT == 3 && CSR_S_FP_ICTL__INDEX == 32 &&
              CTXT_WORKERS == 6 && TMEM_ELEMSIZE == 0x4000 &&
              TMEM_REGION0_BASE_ADDR + TMEM_REGION0_SIZE ==
                  TMEM_REGION1_BASE_ADDR &&
              TEXCH_SYNCZONE_LOCAL == 2);

// A codelet's own namespaces do not clash with those of the headers.
#include <ipu_vector_math>
namespace detail {
template <typename T> T twice(T x) { return x + x; }
} // namespace detail
namespace own {
using namespace poplar;
using namespace ipu;
class Doubles : public Vertex {
public:
  InOut<Vector<float>> x;
  bool compute() {
    for (float &element : x)
      element = detail::twice(element);
    return true;
  }
};
} // namespace own

template <typename T> class Assumes : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T>> in;
  poplar::Output<poplar::Vector<T>> out;
  rptsize_t count;

  bool compute() {
    assert(in.size() == out.size());
    std::uint32_t n = std::min<unsigned>(count, in.size());
    for (std::size_t i = 0; i != n; ++i) {
      T x = std::sqrt(in[i]) + std::exp(in[i]) - std::abs(in[i]);
      x = std::max(x, T(0));
      if (std::isnan(x) || !std::isfinite(x))
        x = std::numeric_limits<T>::lowest();
      out[i] = std::clamp(x, T(-1), T(1));
    }
    std::array<T, 2> bounds{T(-1), T(1)};
    if (n > 1000)
      printf("%u of %f\n", unsigned(n), float(bounds[0]));
    T least = 0;
    unsigned number = 0;
    std::tie(least, number) = std::make_tuple(out[0], 1u);
    const auto count = [&number](T) { ++number; };
    std::for_each(std::make_move_iterator(bounds.begin()),
                  std::make_move_iterator(bounds.end()), std::ref(count));
    out[0] = least + T(number - 3);
    std::sort(out.begin(), out.end());
    std::reverse(&out[0], &out[0] + n);
    std::swap(out[0], out[n - 1]);
    return std::all_of(&out[0], &out[0] + n, [](T x) { return x >= T(-1); });
  }
};

template class Assumes<float>;
template class Assumes<half>;

// And the builtins.
#ifdef __IPU__
extern "C" float2 builtins(float2 x, half2 h) {
  return __builtin_ipu_absmax(x, __builtin_ipu_f16v2tof32(h));
}
extern "C" uint2 packs(const float *from, float *to) {
  return __builtin_ipu_tapack(from, 0, to);
}
#endif
