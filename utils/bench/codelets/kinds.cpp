// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codelets of many kinds, each as a programmer writes it first. How many
// bundles an element takes, and how many it has to take, is in
// utils/bench/code-quality.

#include <ipu_vector_math>
#include <poplar/Vertex.hpp>

using namespace poplar;

template <typename T, unsigned Align = 8>
using In = Input<Vector<T, VectorLayout::SPAN, Align>>;
template <typename T, unsigned Align = 8>
using Out = Output<Vector<T, VectorLayout::SPAN, Align>>;
using Byte = unsigned char;

class InvertBytes : public Vertex {
public:
  In<Byte> in;
  Out<Byte> out;
  bool compute() {
    for (unsigned i = 0; i != out.size(); ++i)
      out[i] = 255 - in[i];
    return true;
  }
};

class CopyBytes : public Vertex {
public:
  In<Byte> in;
  Out<Byte> out;
  bool compute() {
    const Byte *__restrict from = &in[0];
    Byte *__restrict to = &out[0];
    for (unsigned i = 0; i != out.size(); ++i)
      to[i] = from[i];
    return true;
  }
};

class LookUpBytes : public Vertex {
public:
  In<Byte, 4> in, table;
  Out<Byte, 4> out;
  bool compute() {
    for (unsigned i = 0; i != out.size(); ++i)
      out[i] = table[in[i]];
    return true;
  }
};

class Quantise : public Vertex {
public:
  In<float> in;
  Out<signed char, 4> out;
  float scale;
  bool compute() {
    for (unsigned i = 0; i != out.size(); ++i) {
      float v = in[i] * scale;
      v = v > 127.0f ? 127.0f : (v < -128.0f ? -128.0f : v);
      out[i] = int(__builtin_rintf(v));
    }
    return true;
  }
};

class Less : public Vertex {
public:
  In<float> a, b;
  Out<bool> out;
  bool compute() {
    for (unsigned i = 0; i != out.size(); ++i)
      out[i] = a[i] < b[i];
    return true;
  }
};

class HalfSoftmax : public Vertex {
public:
  In<half> in;
  Out<half> out;
  bool compute() {
    half most = in[0];
    for (unsigned i = 1; i != in.size(); ++i)
      most = in[i] > most ? in[i] : most;
    float sum = 0;
    for (unsigned i = 0; i != in.size(); ++i) {
      half e = ipu::exp(half(in[i] - most));
      out[i] = e;
      sum += float(e);
    }
    half factor = half(1.0f / sum);
    for (unsigned i = 0; i != in.size(); ++i)
      out[i] = out[i] * factor;
    return true;
  }
};

class LeakyRelu6 : public Vertex {
public:
  In<float> in;
  Out<float> out;
  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i) {
      float x = in[i];
      if (x < 0)
        x = 0.1f * x;
      else if (x > 6)
        x = 6;
      out[i] = x;
    }
    return true;
  }
};

class IntToFloat : public Vertex {
public:
  In<int> in;
  Out<float> out;
  bool compute() {
    for (unsigned i = 0; i != out.size(); ++i)
      out[i] = 0.25f * in[i];
    return true;
  }
};

template <unsigned Align> class Gemm : public Vertex {
public:
  In<float, Align> a, b;
  Out<float, Align> c;
  unsigned short k;
  bool compute() {
#pragma clang fp reassociate(on)
    for (unsigned i = 0; i != 4; ++i)
      for (unsigned j = 0; j != 4; ++j) {
        float sum = 0;
        for (unsigned l = 0; l != k; ++l)
          sum += a[i * k + l] * b[j * k + l];
        c[4 * i + j] = sum;
      }
    return true;
  }
};
template class Gemm<4>;
template class Gemm<8>;

class ThreePoints : public Vertex {
public:
  In<float> in;
  Out<float> out;
  float w0, w1, w2;
  bool compute() {
    for (unsigned i = 0; i != out.size(); ++i)
      out[i] = w0 * in[i] + w1 * in[i + 1] + w2 * in[i + 2];
    return true;
  }
};

class ComplexProduct : public Vertex {
public:
  In<float> a, b;
  Out<float> c;
  bool compute() {
    for (unsigned i = 0; i != c.size() / 2; ++i) {
      float ar = a[2 * i], ai = a[2 * i + 1], br = b[2 * i], bi = b[2 * i + 1];
      c[2 * i] = ar * br - ai * bi;
      c[2 * i + 1] = ar * bi + ai * br;
    }
    return true;
  }
};

class Transpose : public Vertex {
public:
  In<float> in;
  Out<float> out;
  unsigned short rows, columns;
  bool compute() {
    for (unsigned i = 0; i != rows; ++i)
      for (unsigned j = 0; j != columns; ++j)
        out[j * rows + i] = in[i * columns + j];
    return true;
  }
};

class Fir : public Vertex {
public:
  Input<Vector<short>> x;
  Input<Vector<int>> h;
  Output<Vector<int>> y;
  bool compute() {
    for (unsigned i = 0; i != y.size(); ++i) {
      int sum = 1 << 14;
      for (unsigned k = 0; k != 8; ++k)
        sum += x[i + k] * h[k];
      y[i] = sum >> 15;
    }
    return true;
  }
};

class InsertionSort : public Vertex {
public:
  InOut<Vector<int>> v;
  bool compute() {
    for (int i = 1; i < int(v.size()); ++i) {
      int x = v[i], j = i - 1;
      while (j >= 0 && v[j] > x) {
        v[j + 1] = v[j];
        --j;
      }
      v[j + 1] = x;
    }
    return true;
  }
};

class MatrixUnit : public Vertex {
public:
  In<half> in;
  Out<float> out;
  bool compute() {
    const half4 *from = (const half4 *)&in[0];
    float2 sums = {0, 0};
    for (unsigned i = 0; i != in.size() / 4; ++i)
      sums = __builtin_ipu_f16v4sisoamp(from[i], sums, 0);
    out[0] = sums[0];
    return true;
  }
};

class Argmax : public Vertex {
public:
  In<float> in;
  Output<unsigned> out;
  bool compute() {
    unsigned best = 0;
    float most = in[0];
    for (unsigned i = 1; i != in.size(); ++i)
      if (in[i] > most) {
        most = in[i];
        best = i;
      }
    *out = best;
    return true;
  }
};

class BinarySearch : public Vertex {
public:
  Input<Vector<int>> table, wanted;
  Output<Vector<unsigned>> out;
  bool compute() {
    for (unsigned i = 0; i != wanted.size(); ++i) {
      unsigned low = 0, high = table.size();
      while (low < high) {
        unsigned middle = (low + high) / 2;
        if (table[middle] < wanted[i])
          low = middle + 1;
        else
          high = middle;
      }
      out[i] = low;
    }
    return true;
  }
};

class CountWords : public Vertex {
public:
  Input<Vector<signed char>> text;
  Output<unsigned> words;
  bool compute() {
    unsigned count = 0;
    bool inside = false;
    for (unsigned i = 0; i != text.size(); ++i) {
      bool space = text[i] == ' ' || text[i] == '\n';
      if (!space && !inside)
        ++count;
      inside = !space;
    }
    *words = count;
    return true;
  }
};
