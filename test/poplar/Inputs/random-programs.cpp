// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random small programs (copies between random views of randomly mapped
// variables, compute sets, loops, branches, functions, replicas that exchange
// data), each also done on plain arrays of the host, one for each replica; what
// the device and the host have at the end must be the same. Nothing is read
// that the program has not written, but all else is tried: so this is also the
// test that variables which share memory do not disturb each other. One file is
// both program and codelets.
//
// usage: random-programs cpu|model|ipu CODELETS.gp FIRST-SEED NUMBER

#ifdef __POPC__

#include <poplar/Vertex.hpp>

template <typename T> class Mix : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<T>> a;
  poplar::Input<poplar::Vector<T>> b;
  poplar::Output<poplar::Vector<T>> out;
  T factor;

  void compute() {
    for (unsigned i = 0; i != out.size(); ++i)
      out[i] = a[i] * factor + b[i];
  }
};
template class Mix<int>;
template class Mix<unsigned short>;
template class Mix<unsigned char>;

template <typename T> class Bump : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<T>> data;
  T step;

  void compute() {
    for (unsigned i = 0; i != data.size(); ++i)
      data[i] += step;
  }
};
template class Bump<int>;
template class Bump<unsigned short>;
template class Bump<unsigned char>;

#else

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

constexpr unsigned Ipus = 2, TilesPerIpu = 4;

Device makeDevice(const std::string &kind) {
  if (kind == "cpu")
    return Device::createCPUDevice();
  if (kind == "ipu")
    return Device::createSimulatorDevice(
        Target::createIPUTarget(Ipus, TilesPerIpu, "ipu2"));
  IPUModel model;
  model.numIPUs = Ipus;
  model.tilesPerIPU = TilesPerIpu;
  return model.createDevice();
}

/// A program of the device, and the same for the host.
struct Step {
  Program device;
  std::function<void()> host;
};

/// Elements of the variables, numbered through.
struct View {
  Tensor tensor;
  std::vector<std::size_t> elements;
};

template <typename T> class RandomProgram {
public:
  RandomProgram(const Device &device, const std::string &codelets,
                const Type &type, unsigned seed)
      : device(device), type(type), random(seed), replicas(pickReplicas()),
        isSplit(pick(0, 1)),
        whole(device.getTarget(), replication_factor(isSplit ? 1 : replicas)),
        split(isSplit ? whole.createReplicatedGraph(replicas) : Graph()),
        graph(isSplit ? split : whole) {
    graph.addCodelets(codelets);
    for (unsigned i = 0; i != Written; ++i) {
      const Tensor v = graph.addVariable(type, {Size}, "v" + std::to_string(i));
      // Copies between variables that lie alike may be left out.
      if (i != 0 && pick(0, 1))
        graph.setTileMapping(v, graph.getTileMapping(variables[i - 1]));
      else
        mapAtRandom(v);
      // Nothing reads it, for the program does not read what it has not
      // written.
      if (i != 0 && pick(0, 3) == 0)
        graph.setInitialValue(v, T(seed));
      variables.push_back(v);
    }
    // Two more that only have the values that they begin with.
    std::vector<T> given(2 * Size);
    std::iota(given.begin(), given.end(), T(7 * seed + 11));
    variables.push_back(graph.addConstant(
        type, {Size}, ArrayRef<T>(given.data(), Size), "constant"));
    variables.push_back(graph.addVariable(type, {Size}, "initial"));
    graph.setInitialValue(variables.back(),
                          ArrayRef<T>(given.data() + Size, Size));
    mapAtRandom(variables[Written]);
    mapAtRandom(variables[Written + 1]);
    remote = graph.addRemoteBuffer("remote", type, Size, Rows);
    isBroadcast = pick(0, 1);
    const Graph::HostFunctionArgument argument(type, Size);
    triple = graph.addHostFunction("triple", argument, argument);
    feed = graph.addHostToDeviceFIFO("feed", type, Size,
                                     isBroadcast
                                         ? ReplicatedStreamMode::BROADCAST
                                         : ReplicatedStreamMode::REPLICATE);
    fed.resize(isBroadcast ? Size : replicas * Size);
    std::iota(fed.begin(), fed.end(), T(3 * seed + 7));
    hosts.assign(replicas, std::vector<T>(variables.size() * Size));
    runs.assign(replicas, true);
    isDefined.resize(hosts[0].size());
    // The first one comes from the host, and is another one in each replica.
    T number(seed + 1);
    for (std::vector<T> &host : hosts) {
      std::iota(host.begin(), host.begin() + Size, number);
      std::copy(given.begin(), given.end(), host.begin() + Written * Size);
      number = T(host[Size - 1] + 5);
      in.insert(in.end(), host.begin(), host.begin() + Size);
    }
    std::fill(isDefined.begin(), isDefined.begin() + Size, true);
    std::fill(isDefined.begin() + Written * Size, isDefined.end(), true);
    graph.createHostWrite("in", variables[0]);
  }

  /// Runs the program; true if device and host have the same result.
  bool check() {
    const Step step = sequence(3, pick(3, 8));
    // All that is defined, whatever it is, goes to the host.
    std::vector<Tensor> parts;
    std::vector<std::size_t> elements;
    for (std::size_t i = 0; i != isDefined.size(); ++i)
      if (isDefined[i]) {
        parts.push_back(variables[i / Size].slice(i % Size, i % Size + 1));
        elements.push_back(i);
      }
    const Tensor all = concat(parts);
    const Tensor result = graph.addVariable(type, all.shape(), "result");
    mapAtRandom(result);
    graph.createHostRead("result", result);
    Engine engine(whole, Sequence{step.device, Copy(all, result)});
    engine.connectStream("feed", fed.data(), fed.data() + fed.size());
    for (unsigned r = 0; r != replicas; ++r)
      engine.connectHostFunction(
          "triple", r, [r](ArrayRef<const void *> in, ArrayRef<void *> out) {
            for (std::size_t i = 0; i != Size; ++i)
              static_cast<T *>(out[0])[i] =
                  tripled(static_cast<const T *>(in[0])[i], r);
          });
    engine.load(device);
    for (int run = 0; run != 2; ++run) {
      engine.writeTensor("in", in.data(), in.data() + in.size());
      engine.run();
    }
    step.host();
    std::vector<T> got(replicas * elements.size());
    engine.readTensor("result", got.data(), got.data() + got.size());
    for (std::size_t i = 0; i != got.size(); ++i) {
      const std::size_t e = elements[i % elements.size()];
      const std::size_t r = i / elements.size();
      if (got[i] != hosts[r][e]) {
        std::cout << "v" << e / Size << "[" << e % Size << "] of replica " << r
                  << " is " << +got[i] << ", should be " << +hosts[r][e]
                  << "\n";
        return false;
      }
    }
    return true;
  }

private:
  static constexpr std::size_t Size = 24, Rows = 3;
  static constexpr std::size_t Written = 5; // variables
  using Defined = std::vector<bool>;

  std::size_t pick(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random);
  }
  unsigned pickReplicas() {
    constexpr unsigned Numbers[] = {1, 1, 2, 4};
    return Numbers[pick(0, 3)];
  }
  unsigned pickTile() {
    return static_cast<unsigned>(pick(0, graph.getTarget().getNumTiles() - 1));
  }
  void mapAtRandom(const Tensor &tensor) {
    for (std::size_t begin = 0; begin != tensor.numElements();) {
      const std::size_t end =
          std::min(tensor.numElements(), begin + pick(1, 30));
      graph.setTileMapping(tensor.slice(begin, end), pickTile());
      begin = end;
    }
  }

  // ---- Views ----------------------------------------------------------------

  View part(std::size_t variable, std::size_t begin, std::size_t count) {
    View view{variables[variable].slice(begin, begin + count), {}};
    for (std::size_t i = 0; i != count; ++i)
      view.elements.push_back(variable * Size + begin + i);
    return view;
  }

  View shuffled(View view) {
    const std::size_t count = view.elements.size();
    if (pick(0, 2) == 0) {
      view.tensor = view.tensor.reverse(0);
      std::reverse(view.elements.begin(), view.elements.end());
    }
    if (count % 4 == 0 && pick(0, 2) == 0) {
      View transposed{view.tensor.reshape({count / 4, 4}).transpose().flatten(),
                      {}};
      for (std::size_t c = 0; c != 4; ++c)
        for (std::size_t r = 0; r != count / 4; ++r)
          transposed.elements.push_back(view.elements[r * 4 + c]);
      return transposed;
    }
    return view;
  }

  /// A view of a whole variable, or of a part of one or two, of the first so
  /// many.
  View anyView(std::size_t count, std::size_t numVariables = Written) {
    if (count >= 2 && pick(0, 2) == 0) {
      const std::size_t first = pick(1, count - 1);
      const std::size_t a = pick(0, numVariables - 1);
      const std::size_t b = (a + pick(1, numVariables - 1)) % numVariables;
      View view = part(a, pick(0, Size - first), first);
      const View more = part(b, pick(0, Size - (count - first)), count - first);
      view.tensor = concat(view.tensor, more.tensor);
      view.elements.insert(view.elements.end(), more.elements.begin(),
                           more.elements.end());
      return shuffled(view);
    }
    return shuffled(
        part(pick(0, numVariables - 1), pick(0, Size - count), count));
  }

  /// A view of what is defined.
  View source(std::size_t count) { return source(count, variables.size()); }
  View source(std::size_t count, std::size_t numVariables) {
    for (int attempt = 0; attempt != 10; ++attempt) {
      const View view = anyView(count, numVariables);
      bool isGood = true;
      for (std::size_t e : view.elements)
        isGood = isGood && isDefined[e];
      if (isGood)
        return view;
    }
    return shuffled(part(0, pick(0, Size - count), count));
  }

  // ---- Steps ----------------------------------------------------------------

  Step copy() {
    const std::size_t count = pick(0, 1) ? Size : 4 * pick(1, Size / 4);
    const View from = source(count), to = anyView(count);
    for (std::size_t e : to.elements)
      isDefined[e] = true;
    return {Copy(from.tensor, to.tensor), [this, from, to] { move(from, to); }};
  }

  std::vector<T> valuesOf(const View &view, std::size_t replica) const {
    std::vector<T> values;
    for (std::size_t e : view.elements)
      values.push_back(hosts[replica][e]);
    return values;
  }

  void setValues(const View &view, std::size_t replica,
                 const std::vector<T> &values) {
    for (std::size_t i = 0; runs[replica] && i != values.size(); ++i)
      hosts[replica][view.elements[i]] = values[i];
  }

  void move(const View &from, const View &to) {
    for (std::size_t r = 0; r != replicas; ++r)
      setValues(to, r, valuesOf(from, r));
  }

  /// Each replica sends to another one, or to itself.
  Step crossReplicaCopy() {
    const View from = source(Size), to = anyView(Size);
    std::vector<unsigned> receivers(replicas);
    std::iota(receivers.begin(), receivers.end(), 0);
    std::shuffle(receivers.begin(), receivers.end(), random);
    std::map<unsigned, unsigned> map;
    for (unsigned r = 0; r != replicas; ++r)
      map[r] = receivers[r];
    for (std::size_t e : to.elements)
      isDefined[e] = true;
    return {CrossReplicaCopy(from.tensor, to.tensor, map),
            [this, from, to, map] {
              std::vector<std::vector<T>> sent;
              for (std::size_t r = 0; r != replicas; ++r)
                sent.push_back(valuesOf(from, r));
              for (const auto &pair : map)
                setValues(to, pair.second, sent[pair.first]);
            }};
  }

  /// The parent's view of all replicas of a variable goes to all replicas of
  /// another one, whose order may be reversed.
  Step copyInParent() {
    const View from = source(Size), to = anyView(Size);
    const bool isReversed = pick(0, 1);
    Tensor all = whole.getNonReplicatedTensor(from.tensor);
    if (isReversed)
      all = all.reverse(0);
    for (std::size_t e : to.elements)
      isDefined[e] = true;
    return {Copy(all, whole.getNonReplicatedTensor(to.tensor)),
            [this, from, to, isReversed] {
              std::vector<std::vector<T>> sent;
              for (std::size_t r = 0; r != replicas; ++r)
                sent.push_back(valuesOf(from, r));
              if (isReversed)
                std::reverse(sent.begin(), sent.end());
              for (std::size_t r = 0; r != replicas; ++r)
                setValues(to, r, sent[r]);
            }};
  }

  /// One replica's elements go to all replicas, as a source that is not
  /// replicated does.
  Step copyFromOne() {
    const View from = source(Size), to = anyView(Size);
    const std::size_t sender = pick(0, replicas - 1);
    const Tensor shared = whole.addVariable(type, {Size}, "shared");
    whole.setTileMapping(shared, static_cast<unsigned>(pick(
                                     0, whole.getTarget().getNumTiles() - 1)));
    for (std::size_t e : to.elements)
      isDefined[e] = true;
    return {Sequence{
                Copy(whole.getNonReplicatedTensor(from.tensor)[sender], shared),
                Copy(shared, to.tensor)},
            [this, from, to, sender] {
              const std::vector<T> values = valuesOf(from, sender);
              for (std::size_t r = 0; r != replicas; ++r)
                setValues(to, r, values);
            }};
  }

  Step anyCopy() {
    switch (pick(0, replicas == 1 || !isTogether ? 9 : 14)) {
    case 0:
      return copyThroughHost();
    case 1: // replicas that share a buffer take turns
      return isTogether ? stream() : copy();
    case 2:
      return pick(0, 1) ? callHost() : replicaNumber();
    case 10:
      return crossReplicaCopy();
    case 11:
      return isSplit ? copyInParent() : copy();
    case 12:
      return isSplit ? copyFromOne() : copy();
    default:
      return copy();
    }
  }

  static T tripled(T value, std::size_t replica) {
    return static_cast<T>(3u * unsigned(value) + unsigned(replica));
  }

  /// The host computes.
  Step callHost() {
    const View from = source(Size), to = anyView(Size);
    for (std::size_t e : to.elements)
      isDefined[e] = true;
    return {Call(triple, from.tensor, to.tensor), [this, from, to] {
              for (std::size_t r = 0; r != replicas; ++r) {
                std::vector<T> values = valuesOf(from, r);
                for (T &value : values)
                  value = tripled(value, r);
                setValues(to, r, values);
              }
            }};
  }

  /// Each replica fills elements with its number.
  Step replicaNumber() {
    if (type != INT)
      return copy();
    const View to = anyView(Size);
    const Tensor number = graph.addReplicationIndexConstant();
    graph.setTileMapping(number, pickTile());
    for (std::size_t e : to.elements)
      isDefined[e] = true;
    return {
        Copy(number.reinterpret(INT).expand({0}).broadcast(Size, 0), to.tensor),
        [this, to] {
          for (std::size_t r = 0; r != replicas; ++r)
            setValues(to, r, std::vector<T>(Size, static_cast<T>(r)));
        }};
  }

  /// A copy by way of the host's memory.
  Step copyThroughHost() {
    const View from = source(Size), to = anyView(Size);
    const auto row = static_cast<unsigned>(pick(0, Rows - 1));
    const Tensor offset = graph.addConstant(UNSIGNED_INT, {1}, row);
    graph.setTileMapping(offset, pickTile());
    for (std::size_t e : to.elements)
      isDefined[e] = true;
    return {Sequence{Copy(from.tensor, remote, offset),
                     Copy(remote, to.tensor, offset)},
            [this, from, to] { move(from, to); }};
  }

  Step stream() {
    const View to = anyView(Size);
    for (std::size_t e : to.elements)
      isDefined[e] = true;
    return {Copy(feed, to.tensor), [this, to] {
              for (std::size_t r = 0; r != replicas; ++r)
                for (std::size_t i = 0; i != Size; ++i)
                  hosts[r][to.elements[i]] = fed[(r * Size + i) % fed.size()];
            }};
  }

  /// One compute set; no vertex touches what another one writes.
  Step compute() {
    const ComputeSet set = graph.addComputeSet("set");
    std::vector<std::function<void()>> work;
    std::vector<bool> read(isDefined.size()), written(isDefined.size());
    const std::string suffix = "<" + std::string(type.toString()) + ">";
    for (std::size_t v = pick(1, 4); v != 0; --v) {
      const std::size_t count = pick(1, 8);
      const bool isBump = pick(0, 2) == 0;
      const View a = source(count), b = source(count);
      const View out = isBump ? source(count, Written) : anyView(count);
      const auto any = [](const std::vector<bool> &marks, const View &view) {
        bool result = false;
        for (std::size_t e : view.elements)
          result = result || marks[e];
        return result;
      };
      const auto mark = [](std::vector<bool> &marks, const View &view) {
        for (std::size_t e : view.elements)
          marks[e] = true;
      };
      std::vector<bool> reads(isDefined.size());
      if (!isBump) {
        mark(reads, a);
        mark(reads, b);
      }
      if (any(read, out) || any(reads, out) || any(written, out) ||
          (!isBump && (any(written, a) || any(written, b))))
        continue;
      mark(written, out);
      if (!isBump) {
        mark(read, a);
        mark(read, b);
      }
      const T number = static_cast<T>(pick(1, 200));
      const VertexRef vertex =
          graph.addVertex(set, (isBump ? "Bump" : "Mix") + suffix);
      graph.setTileMapping(vertex, pickTile());
      if (isBump) {
        graph.connect(vertex["data"], out.tensor);
        graph.setInitialValue(vertex["step"], number);
        work.push_back([this, out, number] {
          for (std::size_t r = 0; r != replicas; ++r)
            for (std::size_t i = 0; runs[r] && i != out.elements.size(); ++i) {
              T &value = hosts[r][out.elements[i]];
              value = static_cast<T>(value + number);
            }
        });
        continue;
      }
      graph.connect(vertex["a"], a.tensor);
      graph.connect(vertex["b"], b.tensor);
      graph.connect(vertex["out"], out.tensor);
      graph.setInitialValue(vertex["factor"], number);
      work.push_back([this, a, b, out, number] {
        for (std::size_t r = 0; r != replicas; ++r) {
          std::vector<T> &host = hosts[r];
          for (std::size_t i = 0; runs[r] && i != out.elements.size(); ++i)
            host[out.elements[i]] = static_cast<T>(
                unsigned(host[a.elements[i]]) * unsigned(number) +
                unsigned(host[b.elements[i]]));
        }
      });
    }
    for (std::size_t e = 0; e != isDefined.size(); ++e)
      isDefined[e] = isDefined[e] || written[e];
    return {Execute(set), [work] {
              for (const auto &vertex : work)
                vertex();
            }};
  }

  Step undefine() {
    const std::size_t variable = pick(1, Written - 1);
    for (std::size_t i = 0; i != Size; ++i)
      isDefined[variable * Size + i] = false;
    return {WriteUndef(variables[variable]), [] {}};
  }

  Step repeat(unsigned depth) {
    const auto count = static_cast<unsigned>(pick(1, 3));
    const Step body = again(depth - 1, pick(1, 4));
    return {Repeat(count, body.device), [count, body] {
              for (unsigned i = 0; i != count; ++i)
                body.host();
            }};
  }

  /// Runs the host's side of a step for some replicas of those that run.
  template <typename IsIn> void hostFor(const Step &step, IsIn isIn) {
    const std::vector<bool> before = runs;
    for (std::size_t r = 0; r != replicas; ++r)
      runs[r] = runs[r] && isIn(r);
    step.host();
    runs = before;
  }

  /// A tensor with the number of the replica, and the program that sets it.
  Step numberOf(Tensor &number) {
    number = graph.addVariable(INT, {}, "number");
    const Tensor index = graph.addReplicationIndexConstant();
    graph.setTileMapping(number, pickTile());
    graph.setTileMapping(index, pickTile());
    return {Copy(index.reinterpret(INT), number), [] {}};
  }

  /// A branch in which each replica goes its own way, by its number.
  Step ownBranch(unsigned depth) {
    const bool wereTogether = isTogether;
    isTogether = false;
    Tensor number;
    const Program decide = numberOf(number).device;
    const Defined before = isDefined;
    Defined all(isDefined.size(), true);
    std::vector<Step> cases;
    for (std::size_t i = 0; i != 3; ++i) {
      isDefined = before;
      cases.push_back(sequence(depth - 1, pick(0, 3)));
      for (std::size_t e = 0; e != isDefined.size(); ++e)
        all[e] = all[e] && isDefined[e];
    }
    isDefined = all;
    isTogether = wereTogether;
    return {
        Sequence{decide,
                 Switch(number, {{0, cases[0].device}, {1, cases[1].device}},
                        cases[2].device)},
        [this, cases] {
          for (std::size_t i = 0; i != 3; ++i)
            hostFor(cases[i], [i](std::size_t r) {
              return std::min<std::size_t>(r, 2) == i;
            });
        }};
  }

  /// A loop that each replica runs as many times as its number says.
  Step ownLoop(unsigned depth) {
    const bool wereTogether = isTogether;
    isTogether = false;
    Tensor counter;
    const Program start = numberOf(counter).device;
    const ComputeSet down = graph.addComputeSet("down");
    const VertexRef vertex = graph.addVertex(down, "Bump<int>");
    graph.connect(vertex["data"], counter.reshape({1}));
    graph.setInitialValue(vertex["step"], -1);
    graph.setTileMapping(vertex, pickTile());
    const Defined before = isDefined;
    const Step body = again(depth - 1, pick(1, 3));
    keepDefined(before);
    isTogether = wereTogether;
    return {
        Sequence{start, RepeatWhileTrue(Sequence(), counter,
                                        Sequence{body.device, Execute(down)})},
        [this, body] {
          for (std::size_t i = 1; i < replicas; ++i)
            hostFor(body, [i](std::size_t r) { return r >= i; });
        }};
  }

  /// A loop that runs until a counter is 0.
  Step loop(unsigned depth) {
    const Tensor counter = graph.addVariable(INT, {}, "counter");
    const Tensor step = graph.addConstant(INT, {}, -1);
    const auto count = static_cast<int>(pick(0, 2));
    const Tensor start = graph.addConstant(INT, {}, count);
    for (const Tensor &tensor : {counter, step, start})
      graph.setTileMapping(tensor, pickTile());
    const ComputeSet down = graph.addComputeSet("down");
    const VertexRef vertex = graph.addVertex(down, "Bump<int>");
    graph.connect(vertex["data"], counter.reshape({1}));
    graph.setInitialValue(vertex["step"], -1);
    graph.setTileMapping(vertex, pickTile());
    const Defined before = isDefined;
    const Step body = again(depth - 1, pick(1, 3));
    keepDefined(before); // the body may never run
    return {Sequence{Copy(start, counter),
                     RepeatWhileTrue(Sequence(), counter,
                                     Sequence{body.device, Execute(down)})},
            [count, body] {
              for (int i = 0; i != count; ++i)
                body.host();
            }};
  }

  void keepDefined(const Defined &other) {
    for (std::size_t e = 0; e != isDefined.size(); ++e)
      isDefined[e] = isDefined[e] && other[e];
  }

  Tensor decision(int value) {
    const Tensor constant = graph.addConstant(INT, {}, value);
    const Tensor variable = graph.addVariable(INT, {}, "decision");
    graph.setTileMapping(constant, pickTile());
    graph.setTileMapping(variable, pickTile());
    decisions.push_back(Copy(constant, variable));
    return variable;
  }

  Step branch(unsigned depth) {
    const Defined before = isDefined;
    const auto chosen = static_cast<int>(pick(0, 2));
    const Tensor control = decision(chosen);
    const Program decide = decisions.back();
    std::vector<Step> cases;
    Defined all(isDefined.size(), true);
    const std::size_t count = pick(2, 3);
    for (std::size_t i = 0; i != count; ++i) {
      isDefined = before;
      cases.push_back(sequence(depth - 1, pick(0, 3)));
      for (std::size_t e = 0; e != isDefined.size(); ++e)
        all[e] = all[e] && isDefined[e];
    }
    isDefined = all;
    if (count == 2)
      return {Sequence{decide, If(control, cases[0].device, cases[1].device)},
              cases[chosen != 0 ? 0 : 1].host};
    return {
        Sequence{decide,
                 Switch(control, {{0, cases[0].device}, {1, cases[1].device}},
                        cases[2].device)},
        cases[chosen].host};
  }

  /// A function that is called here, and may be called again later. What it
  /// reads must then be defined still.
  Step call(unsigned depth) {
    if (!functions.empty() && pick(0, 1)) {
      const Called &known = functions[pick(0, functions.size() - 1)];
      bool isGood = known.isOwn || isTogether;
      for (std::size_t e = 0; e != isDefined.size(); ++e)
        isGood = isGood && (isDefined[e] || !known.needs[e]);
      if (isGood) {
        for (std::size_t e = 0; e != isDefined.size(); ++e)
          isDefined[e] = isDefined[e] || known.leaves[e];
        return {Call(known.function), known.host};
      }
    }
    const Defined before = isDefined;
    const Step body = again(depth - 1, pick(1, 4));
    const Function function = graph.addFunction(body.device);
    functions.push_back({function, body.host, before, isDefined, !isTogether});
    return {Call(function), body.host};
  }

  /// A body that may run several times: it leaves nothing undefined that its
  /// next run needs.
  Step again(unsigned depth, std::size_t length) {
    ++repeated;
    const Step step = sequence(depth, length);
    --repeated;
    return step;
  }

  Step sequence(unsigned depth, std::size_t length) {
    Sequence device;
    std::vector<std::function<void()>> host;
    for (; length != 0; --length) {
      const std::size_t kind = pick(0, depth == 0 ? 9 : 16);
      const Step step = kind < 5 || (kind == 9 && repeated != 0) ? anyCopy()
                        : kind < 9                               ? compute()
                        : kind < 10                              ? undefine()
                        : kind < 11                              ? repeat(depth)
                        : kind < 12                              ? loop(depth)
                        : kind < 14                              ? branch(depth)
                        : kind < 15                              ? call(depth)
                        : kind < 16 ? ownBranch(depth)
                                    : ownLoop(depth);
      device.add(step.device);
      host.push_back(step.host);
    }
    return {device, [host] {
              for (const auto &step : host)
                step();
            }};
  }

  struct Called {
    Function function;
    std::function<void()> host;
    Defined needs, leaves;
    bool isOwn; // for a replica by itself
  };

  const Device &device;
  Type type;
  std::mt19937 random;
  unsigned replicas;
  /// True if replicas are parts of one graph; false if the graph is replicated.
  bool isSplit;
  Graph whole, split;
  /// The graph of the program: each replica has all of it.
  Graph &graph;
  std::vector<Tensor> variables;
  /// The expected contents of the variables, by replica.
  std::vector<std::vector<T>> hosts;
  /// By replica, true if it runs the present step; and, while the program is
  /// made, true if all of them run it.
  std::vector<bool> runs;
  bool isTogether = true;
  std::vector<T> in, fed;
  bool isBroadcast = false;
  RemoteBuffer remote;
  DataStream feed;
  HostFunction triple;
  Defined isDefined;
  std::vector<Program> decisions;
  std::vector<Called> functions;
  unsigned repeated = 0;
};

template <typename T>
bool check(const Device &device, const std::string &codelets, const Type &type,
           unsigned seed) {
  if (RandomProgram<T>(device, codelets, type, seed).check())
    return true;
  std::cout << "seed " << seed << ", " << type << ": WRONG\n";
  return false;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  const Device device = makeDevice(argv[1]);
  const auto first = static_cast<unsigned>(std::atoi(argv[3]));
  const auto count = static_cast<unsigned>(std::atoi(argv[4]));
  unsigned wrong = 0;
  for (unsigned seed = first; seed != first + count; ++seed) {
    if (seed % 3 == 0)
      wrong += !check<std::int32_t>(device, argv[2], INT, seed);
    else if (seed % 3 == 1)
      wrong += !check<std::uint16_t>(device, argv[2], UNSIGNED_SHORT, seed);
    else
      wrong += !check<std::uint8_t>(device, argv[2], UNSIGNED_CHAR, seed);
  }
  std::cout << count << " programs, " << wrong << " wrong\n";
  return wrong != 0;
}

#endif
