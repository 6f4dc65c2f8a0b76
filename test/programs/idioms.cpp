// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codelets that compute with edges of halves as with halves, reach vectors
// through ->, take lanes of vectors for other types of their size, and call
// functions of <ipu_vector_math> and <cmath> for all types.

#ifdef __POPC__

#include <ipu_vector_math>
#include <poplar/Vertex.hpp>

using namespace poplar;

class Edges : public Vertex {
public:
  Vector<Input<half>> x; // 1.5, 2.5, -1.25
  Vector<InOut<half>> best;
  InOut<Vector<float>> sums;

  bool compute() {
    for (unsigned i = 1; i != x->size(); ++i)
      if (best[0] < x[i] && x[i] != 0.0f && !(x[i] == best[0]))
        best[0] = x[i];
    best[1] += x[0] - x[1] * 2 + 4;
    *best[1] -= 1;
    sums[0] = best[0];
    sums[1] = best[1];
    (*sums)[2] = -x[2] < x[0] ? *x[2] : *x[0];
    sums->data()[3] = x[0] / 0.5f + sums->size() - *best[1];
    return true;
  }
};

class Masks : public Vertex {
public:
  Input<float> one;
  Output<Vector<int>> out;

  bool compute() {
    const float x = *one;
    const float2 a = {x, 2 * x}, b = {x, x};
    const long2 equal = (a == b);
    const int2 less = ipu::isless(b - 1, a) & (b < a + b) & (a == b);
    out[0] = equal[0];
    out[1] = equal[1];
    out[2] = less[0];
    out[3] = less[1];
    const ushort2 parts = ushort2(0x12345678 * unsigned(x));
    out[4] = parts[0] | parts[1] << 16;
    const half4 h = {half(x), 2, 1, 4};
    const short4 same = ipu::isgreater(h, half4{0, 2, 0, 8});
    out[5] = (same[0] & 1) * 32 + (same[1] & 2) + (same[2] & 4) + same[3];
    out[6] = ipu::isnan(a)[1] | ipu::isinf(h)[0] | std::isnan(h[1]);
    return true;
  }
};

template <typename T, unsigned N> struct Lanes {
  typedef T Type __attribute__((vector_size(N * sizeof(T))));
  static Type all(float v) { return Type{} + T(v); }
  static float last(Type v) { return v[N - 1]; }
};
template <typename T> struct Lanes<T, 1> {
  typedef T Type;
  static T all(float v) { return T(v); }
  static float last(T v) { return v; }
};

// Sixteen functions of x and y in (0.1, 0.9), on vectors of N elements.
template <typename E, unsigned N> class Functions : public Vertex {
  using T = typename Lanes<E, N>::Type;

public:
  Input<Vector<float>> x;
  Output<Vector<float>> out;

  bool compute() {
    unsigned n = 0;
    auto put = [&](T v) {
      out[n] = Lanes<E, N>::last(v);
      ++n;
    };
    const T a = Lanes<E, N>::all(x[0]), b = Lanes<E, N>::all(x[1]);
    put(ipu::atan2(a, b));
    put(ipu::asin(a));
    put(ipu::acos(a));
    put(ipu::atan(a));
    put(ipu::cbrt(a));
    put(ipu::sinh(a));
    put(ipu::cosh(a));
    put(ipu::asinh(a));
    put(ipu::remainder(a, b));
    put(ipu::hypot(a, b));
    put(ipu::exp(a));
    put(ipu::sqrt(b));
    put(ipu::fmax(a, b));
    put(ipu::pow(a, b));
    put(ipu::erfc(a));
    put(ipu::log2(a));
    return true;
  }
};
template class Functions<float, 1>;
template class Functions<half, 1>;
template class Functions<float, 2>;
template class Functions<half, 2>;
template class Functions<half, 4>;

class Named : public Vertex {
public:
  Input<Vector<float>> x;
  Output<Vector<float>> out;

  bool compute() {
    const half2 h = {half(x[0]), half(x[1])};
    const float2 f = {x[0], x[1]};
    const half4 q = {h[0], h[1], h[0], h[1]};
    out[0] = half2_fmax(h, h + h)[0] - h[0];
    out[1] = float2_fmax(f, -f)[1];
    out[2] = half4_exp(q)[2];
    out[3] = ipu::sum(h);
    out[4] = float2_exp(f)[0];
    out[5] = std::sqrt(h[1]);
    out[6] = std::pow(h[0], f[1]) + std::fmin(h[0], h[1]);
    return true;
  }
};

#else

#include "device.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

const float X = 0.375f, Y = 0.8125f; // halves, too

std::vector<double> functionsOf(double x, double y) {
  return {std::atan2(x, y),     std::asin(x),     std::acos(x), std::atan(x),
          std::cbrt(x),         std::sinh(x),     std::cosh(x), std::asinh(x),
          std::remainder(x, y), std::hypot(x, y), std::exp(x),  std::sqrt(y),
          std::fmax(x, y),      std::pow(x, y),   std::erfc(x), std::log2(x)};
}

int compare(const std::string &name, const std::vector<float> &got,
            const std::vector<double> &expected, double tolerance) {
  int wrong = 0;
  for (std::size_t i = 0; i != expected.size(); ++i)
    if (!(std::fabs(got[i] - expected[i]) <=
          tolerance * (1 + std::fabs(expected[i])))) {
      std::cout << name << " " << i << ": " << got[i] << ", not " << expected[i]
                << "\n";
      ++wrong;
    }
  return wrong;
}

class Runner {
public:
  Runner(int argc, char **argv) : device(getDevice(argc, argv)), graph(device) {
    graph.addCodelets(__FILE__);
  }

  Tensor place(const Tensor &tensor) {
    graph.setTileMapping(tensor, 0);
    return tensor;
  }
  VertexRef vertex(const std::string &type) {
    const ComputeSet cs = graph.addComputeSet(type);
    const VertexRef result = graph.addVertex(cs, type);
    graph.setTileMapping(result, 0);
    graph.setPerfEstimate(result, 100);
    program.add(Execute(cs));
    return result;
  }
  /// A vertex with the field x = {X, Y}.
  void function(const std::string &type) {
    const VertexRef v = vertex(type);
    const Tensor out = place(graph.addVariable(FLOAT, {16}, type));
    graph.connect(v["x"], place(graph.addConstant<float>(FLOAT, {2}, {X, Y})));
    graph.connect(v["out"], out);
    graph.createHostRead(type, out);
  }
  std::vector<float> read(Engine &engine, const std::string &type) {
    std::vector<float> values(16);
    engine.readTensor(type, values.data(), values.data() + values.size());
    return values;
  }

  Device device;
  Graph graph;
  Sequence program;
};

const char *const Types[] = {"float,1", "float,2", "half,1", "half,2",
                             "half,4"};

} // namespace

int main(int argc, char **argv) {
  Runner run(argc, argv);
  Graph &graph = run.graph;

  const VertexRef edges = run.vertex("Edges");
  const Tensor x =
      run.place(graph.addConstant<float>(HALF, {3}, {1.5f, 2.5f, -1.25f}));
  const Tensor best = run.place(graph.addVariable(HALF, {2}, "best"));
  graph.setInitialValue<float>(best, {0, 0});
  const Tensor sums = run.place(graph.addVariable(FLOAT, {4}, "sums"));
  graph.connect(edges["x"], x);
  graph.connect(edges["best"], best);
  graph.connect(edges["sums"], sums);
  graph.createHostRead("sums", sums);

  const VertexRef masks = run.vertex("Masks");
  const Tensor words = run.place(graph.addVariable(INT, {7}, "words"));
  graph.connect(masks["one"], run.place(graph.addConstant(FLOAT, {}, 1.0f)));
  graph.connect(masks["out"], words);
  graph.createHostRead("words", words);

  for (const char *type : Types)
    run.function(std::string("Functions<") + type + ">");
  run.function("Named");

  Engine engine(graph, run.program);
  engine.load(run.device);
  engine.run(0);

  float s[4];
  int w[7];
  engine.readTensor("sums", s, s + 4);
  engine.readTensor("words", w, w + 7);
  std::cout << "edges: " << s[0] << " " << s[1] << " " << s[2] << " " << s[3]
            << "\nmasks:";
  for (int word : w)
    std::cout << " " << word;
  std::cout << "\n";

  int wrong = 0;
  for (const char *type : Types) {
    const std::string name = std::string("Functions<") + type + ">";
    wrong += compare(name, run.read(engine, name), functionsOf(X, Y),
                     type[0] == 'f' ? 1e-6 : 1e-3);
  }
  wrong += compare(
      "Named", run.read(engine, "Named"),
      {X, Y, std::exp(X), X + Y, std::exp(X), std::sqrt(Y), std::pow(X, Y) + X},
      1e-3);
  std::cout << "wrong: " << wrong << "\n";
}

#endif
