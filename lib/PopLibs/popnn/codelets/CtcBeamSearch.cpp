// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vertex that decodes one sequence. The beginnings of labels are a tree: a
// node is the class that it adds to its parent. A beam is a node, with the
// probabilities of the ways to it that end with a blank and with its class.
//
// At each time a beam stays as it is (a blank, or its class once more) or gets
// another class. Of all of these the likeliest are kept, in descending order.
// An extension whose node is in the beam already only adds to that beam.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#include <cmath>
#include <limits>

using namespace poplar;

namespace popnn {

/// Logarithms of probabilities; this stands for that of 0.
constexpr float CtcLogOfZero = -1e30f;

inline float ctcLogSum(float a, float b) {
  const float larger = a > b ? a : b;
  const float smaller = a > b ? b : a;
  if (smaller <= CtcLogOfZero)
    return larger;
  return larger + std::log1p(std::exp(smaller - larger));
}

/// Beams in descending order of their probabilities. Those of a step that have
/// no node yet have the parent's node, and the class that they add.
struct CtcBeams {
  unsigned *node, *parent, *added;
  float *blank, *symbol;
  unsigned count;
};

template <class T> struct CtcSearch {
  static constexpr unsigned None = ~0u;

  unsigned *parents, *symbols;
  unsigned numNodes, classes, blank, width;

  /// Keeps a beam if it is among the likeliest.
  void offer(CtcBeams &set, unsigned node, unsigned parent, unsigned added,
             float ofBlank, float ofSymbol) {
    const float total = ctcLogSum(ofBlank, ofSymbol);
    if (total <= CtcLogOfZero)
      return;
    unsigned place = set.count < width ? set.count : width - 1;
    if (set.count == width &&
        !(ctcLogSum(set.blank[place], set.symbol[place]) < total))
      return;
    while (place != 0 &&
           ctcLogSum(set.blank[place - 1], set.symbol[place - 1]) < total) {
      set.node[place] = set.node[place - 1];
      set.parent[place] = set.parent[place - 1];
      set.added[place] = set.added[place - 1];
      set.blank[place] = set.blank[place - 1];
      set.symbol[place] = set.symbol[place - 1];
      --place;
    }
    set.node[place] = node;
    set.parent[place] = parent;
    set.added[place] = added;
    set.blank[place] = ofBlank;
    set.symbol[place] = ofSymbol;
    if (set.count != width)
      ++set.count;
  }

  /// The node of a class after another node; a new one if there is none.
  unsigned child(unsigned parent, unsigned added) {
    for (unsigned n = 1; n != numNodes; ++n)
      if (parents[n] == parent && symbols[n] == added)
        return n;
    parents[numNodes] = parent;
    symbols[numNodes] = added;
    return numNodes++;
  }

  /// The probability that a beam is extended by a class.
  static float extended(const CtcBeams &now, unsigned beam, unsigned lastClass,
                        unsigned added, float logProb) {
    // After its own class a beam is extended only from a blank.
    const float before = lastClass == added
                             ? now.blank[beam]
                             : ctcLogSum(now.blank[beam], now.symbol[beam]);
    return before <= CtcLogOfZero ? CtcLogOfZero : before + logProb;
  }

  void step(const CtcBeams &now, CtcBeams &next, const T *row) {
    next.count = 0;
    for (unsigned b = 0; b != now.count; ++b) {
      const unsigned node = now.node[b];
      const unsigned last = symbols[node];
      const float total = ctcLogSum(now.blank[b], now.symbol[b]);
      float ofSymbol = CtcLogOfZero;
      if (last != None) {
        if (now.symbol[b] > CtcLogOfZero)
          ofSymbol = now.symbol[b] + clamped(row[last]);
        // Ways from the beam without the last class.
        for (unsigned p = 0; p != now.count; ++p)
          if (now.node[p] == parents[node])
            ofSymbol =
                ctcLogSum(ofSymbol, extended(now, p, symbols[now.node[p]], last,
                                             clamped(row[last])));
      }
      offer(next, node, None, None, total + clamped(row[blank]), ofSymbol);
    }
    for (unsigned b = 0; b != now.count; ++b)
      for (unsigned c = 0; c != classes; ++c)
        if (c != blank && !isBeam(now, now.node[b], c))
          offer(next, None, now.node[b], c, CtcLogOfZero,
                extended(now, b, symbols[now.node[b]], c, clamped(row[c])));
    for (unsigned b = 0; b != next.count; ++b)
      if (next.node[b] == None)
        next.node[b] = child(next.parent[b], next.added[b]);
  }

  bool isBeam(const CtcBeams &set, unsigned parent, unsigned added) const {
    for (unsigned b = 0; b != set.count; ++b)
      if (parents[set.node[b]] == parent && symbols[set.node[b]] == added)
        return true;
    return false;
  }

  static float clamped(T logProb) {
    const float value = float(logProb);
    return value > CtcLogOfZero ? value : CtcLogOfZero;
  }
};

/// `nodes` has room for the parents of all nodes, then for their classes. Node
/// 0 is the empty label. `beams` and `scores` have room for two sets of beams.
template <class T> class CtcBeamSearch : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> logProbs; // [times][classes]
  Input<unsigned> length;
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> nodes;
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> beams;
  Output<Vector<float, VectorLayout::ONE_PTR>> scores;
  Output<Vector<float, VectorLayout::ONE_PTR>> negLogProbs; // [paths]
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> lengths;  // [paths]
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> labels;   // [paths][times]
  unsigned times;
  unsigned classes;
  unsigned blank;
  unsigned width;
  unsigned paths;

  bool compute() {
    CtcSearch<T> search{&nodes[0], &nodes[1 + times * width], 1, classes, blank,
                        width};
    search.parents[0] = search.symbols[0] = search.None;
    CtcBeams now{&beams[0],  &beams[width],  &beams[2 * width],
                 &scores[0], &scores[width], 1};
    CtcBeams next{&beams[3 * width],  &beams[4 * width],  &beams[5 * width],
                  &scores[2 * width], &scores[3 * width], 0};
    now.node[0] = 0;
    now.blank[0] = 0.0f;
    now.symbol[0] = CtcLogOfZero;
    const unsigned steps = length < times ? unsigned(length) : times;
    for (unsigned t = 0; t != steps; ++t) {
      search.step(now, next, &logProbs[t * classes]);
      const CtcBeams other = now;
      now = next;
      next = other;
    }
    report(search, now);
    return true;
  }

private:
  void report(const CtcSearch<T> &search, const CtcBeams &beam) {
    for (unsigned p = 0; p != paths; ++p) {
      unsigned *label = &labels[p * times];
      for (unsigned t = 0; t != times; ++t)
        label[t] = blank;
      if (p >= beam.count) {
        negLogProbs[p] = std::numeric_limits<float>::infinity();
        lengths[p] = 0;
        continue;
      }
      negLogProbs[p] = -ctcLogSum(beam.blank[p], beam.symbol[p]);
      unsigned size = 0;
      for (unsigned n = beam.node[p]; n != 0; n = search.parents[n])
        ++size;
      lengths[p] = size;
      for (unsigned n = beam.node[p]; n != 0; n = search.parents[n])
        label[--size] = search.symbols[n];
    }
  }
};

template class CtcBeamSearch<float>;
template class CtcBeamSearch<half>;

} // namespace popnn
