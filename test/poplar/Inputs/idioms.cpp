// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways in which public programs write against the headers: braces for
// everything, names as literals and strings, forward declarations. All of it
// must compile without a warning, with both compilers, from C++11 on.

// Before any header: class keys must be the ones that programs use.
namespace poplar {
class Graph;
class Tensor;
class Target;
class OptionFlags;
class Type;
class Engine;
class Function;
class Executable;
class DebugNameAndId;
struct poplar_error;
namespace program {
class Program;
class Sequence;
} // namespace program
} // namespace poplar

#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <pva/pva.hpp>
using namespace poplar;
using namespace poplar::program;
void f(Graph &g, Tensor t, DebugNameAndId dnai, std::vector<float> v,
       std::string s, DebugContext dc) {
  unsigned n = 3;
  int k = 2;
  auto a = g.addVariable(FLOAT, {4}, "x");
  g.addVariable(FLOAT, {}, {dnai, "x"});
  g.addVariable(FLOAT, t.shape(), VariableMappingMethod::LINEAR, dc);
  g.addVariable(FLOAT, {4}, {dnai});
  g.addVariable(HALF, {3, 2}, s + "x");
  g.addVariable(FLOAT, {1}, {"q"});
  g.addConstant<float>(FLOAT, {4}, {1.0, 1.5, 2.0, 2.5});
  g.addConstant(FLOAT, {2}, {1.f, 2.f});
  g.addConstant(FLOAT, {}, 0);
  g.addConstant<int>(INT, {1}, 0, "z");
  g.addConstant<float>(FLOAT, {1}, 0.5f, {dnai, "x"});
  g.addConstant(FLOAT, {2}, v.data());
  g.addConstant<float>(FLOAT, {2}, v.data(), "x");
  g.addConstant(FLOAT, {2}, v);
  g.addConstant<float>(FLOAT, {2}, v);
  g.addConstant<float>(FLOAT, {2}, ArrayRef<float>(v));
  g.addConstant(FLOAT, {2}, ArrayRef<float>(v), dc);
  t.slice(0, 3);
  t.slice({1, 1}, {2, 4});
  t.slice({0, n}, 1);
  t.slice(Interval(0, n));
  t.reshape({});
  t.reshape({1, n});
  t[0][1];
  t.slice(0, k, 1);
  t.dimShuffle({1, 0});
  t.expand({0});
  t.broadcast(n, k);
  t.flatten();
  t.slices({Interval(0, 1)});
  concat({a, t});
  concat({a, t}, 1);
  concat(a, t);
  concat(std::vector<Tensor>{a, t}, k);
  concat(a, t, {1});
  auto cs = g.addComputeSet("cs");
  auto vtx = g.addVertex(cs, "V");
  g.addVertex(cs, "V", {{"in", t}, {"out", a[0]}});
  g.addVertex(cs, "V", {{"in", {t, a}}, {"k", 3}});
  g.addVertex(cs, s, {{"in", t}});
  g.connect(vtx["in"], t.slice(n, 4));
  g.connect(vtx["in"], {t, a});
  g.connect(vtx["f"][k], t);
  g.setInitialValue(vtx["x"], k);
  g.setInitialValue(vtx["x"], v);
  g.setInitialValue(vtx["x"], 1.0);
  g.setInitialValue<float>(vtx["x"], 3);
  g.setInitialValue(t, ArrayRef<float>(v));
  g.setInitialValue(t, 0.5);
  g.setTileMapping(t, k);
  g.setTileMapping(vtx, n);
  g.setTileMapping(t, g.getTileMapping(a));
  g.getTileMapping(t, false);
  Sequence p;
  p.add(Copy(a, t));
  p.add(Copy(a, t, "n"));
  p.add(Copy(a, t, false, {dnai}));
  p.add(Copy(a, t, {dnai}));
  Execute ex(cs);
  Sequence q(ex, Execute(cs));
  Sequence r{Copy(a, t), Execute(cs)};
  Sequence z({}, {dnai, "s"});
  Sequence y({r, q}, {dnai});
  Sequence w("nm");
  Sequence ww({dnai, "x"});
  Sequence sp(Execute{cs});
  Sequence cpy(p);
  p.add(PrintTensor("x", t));
  p.add(PrintTensor(t));
  p.add(Repeat(n, r));
  p.add(Repeat{3, r});
  p.add(If(t.reshape({}), r, Sequence()));
  p.add(Switch(t, {{0, r}, {1, q}}));
  p.add(Switch(t, {{0, r}, {1, q}}, r));
  p.add(Sequence{});
  auto d = g.addHostToDeviceFIFO("h", INT, 10);
  p.add(Copy(d, t));
  p.add(Copy(t, d));
  p.add(Copy(d, t, false, {"h"}));
  p.add(RepeatWhileTrue(q, t, r));
  p.add(WriteUndef(t, {dnai}));
  p.add(Abort("message"));
  p.add(Abort());
  p.add(AbortOnCondition(t, "message"));
  p.add(AbortOnCondition(t, s, {dnai}));
  p.add(AbortOnCondition(t));
  p.add(ErrorProgram("message", t));
  const Function fn = g.addFunction(p);
  const FunctionBuffer fb =
      g.addFunctionBuffer(fn, FunctionBufferMappingType::REMOTE);
  p.add(Copy(fb, fn, {dnai}));
  p.add(Sync(SyncType::INTERNAL));
  auto rb = g.addRemoteBuffer("r", FLOAT, 10);
  auto rb2 = g.addRemoteBuffer(s, FLOAT, n, 4, true, true);
  p.add(Copy(rb, t));
  p.add(Copy(rb, t, {dnai}));
  p.add(Copy(t, rb2, a));
  p.add(Copy(rb2, t, a, {dnai, "x"}));
  auto hf = g.addHostFunction("f", {{FLOAT, 4}, {INT, n}}, {{FLOAT, 4}});
  p.add(Call(hf, {t, a}, {t}));
  p.add(Call(hf, {t}, {t}, {dnai}));
  p.add(CrossReplicaCopy(a, t, {{0, 1}, {1, 0}}, {"x"}));
  p.add(AssumeEqualAcrossReplicas(t, "x"));
  Graph rg(g.getTarget(), replication_factor(n));
  Graph vg = rg.createReplicatedGraph(2).createVirtualGraph(0, n);
  rg.getTopLevelGraph().getNonReplicatedTensor(t);
  Engine e(g, p);
  Engine e2(g, {p, q});
  Engine e3(g, std::vector<Program>{p});
  Engine e4(g, p, {{"a", "b"}});
  std::vector<Sequence> vs{p, q};
  Engine e5(g, vs);
  Engine e6(g, {p}, OptionFlags{{"a", "b"}});
  Engine e7(std::move(g), p);
  Engine e8(compileGraph(g, {p, q}));
  auto up = std::unique_ptr<Engine>(new Engine(g, p));
  e.connectStreamToCallback("h", [](void *) {});
  e.connectStreamToCallback("h", 1, [](void *) {});
  e.connectHostFunction("f", [](ArrayRef<const void *>, ArrayRef<void *>) {});
  e.connectHostFunction(s, 0,
                        [&](ArrayRef<const void *> in,
                            ArrayRef<void *>) -> void { (void)in.size(); });
  e.copyToRemoteBuffer(v.data(), "r", k);
  e.copyFromRemoteBuffer(s, v.data(), k, 1);
  e.run();
  e.run(0, "name");
  pva::Report report = e.getReport();
  for (const auto &tile : report.compilation().tiles())
    (void)tile.memory().total().includingGaps();
  for (const auto &step : report.execution().steps())
    (void)step.cyclesFrom().max();
  // By value and by reference.
  auto &compiled = report.compilation();
  const auto &executed = report.execution();
  auto variables = compiled.alwaysLiveVariables();
  auto &live = compiled.alwaysLiveVariablesForTile(0);
  auto &lowered = compiled.loweredVariables();
  auto &all = lowered.allBriefVars();
  for (const pva::Tile &tile : compiled.tiles())
    for (auto &vertex : tile.memory().vertices())
      (void)vertex.count();
  for (auto &step : executed.steps()) {
    auto &ipus = step.ipus();
    auto &cycles = step.cyclesByTile();
    (void)(ipus.size() + cycles.size());
  }
  for (auto &block : executed.blocks(0))
    (void)block.tile();
  (void)(variables.size() + live.size() + all.size());
  dumpProgram(g, Sequence(), std::cout);
  poplar::program::dumpProgram(g, Sequence(), std::cout);
  e.printProfileSummary(std::cout, {{"showExecutionSteps", "true"}});
  printProfileSummary(std::cout, e.getGraphProfile());
  printProfileSummary(std::cout, s, {{"showVarStorage", "false"}});
  e.readTensor("h", v.data());
  e.readTensor("h", v.data(), v.data() + v.size());
  e.writeTensor("h", v.data());
  g.addCodelets("x.cpp");
  g.addCodelets(s);
  g.addCodelets(StringRef(s), CodeletFileType::Auto, "-O3");
  g.addCodelets({"a.cpp", "b.cpp"}, "-O3");
  std::stringstream ss;
  g.addCodelets(ss);
  g.addCodelets(ss, "-O3", std::cerr, CodeletFileType::CppSource);
  g.addCodelets(s, CodeletFileType::Auto, "-O3 -I.");
  OptionFlags o;
  o.set("a", "b");
  o.set({{"a", "b"}, {"c", "d"}});
  o.set({{"a", "b"}});
  for (const auto &e : o)
    (void)e.first.size();
  std::vector<std::pair<std::string, Tensor>> ed;
  DebugContext c2{dnai, "x"};
  DebugContext c3 = "x";
  DebugContext c4 = {};
}
struct CB : StreamCallback {
  Result prefetch(void *) noexcept override { return Result::Success; }
  void fetch(void *) override {}
};
void h(Engine &e) {
  e.connectStreamToCallback("x", std::unique_ptr<StreamCallback>(new CB));
  e.connectStreamToCallback("x", std::unique_ptr<CB>(new CB));
  e.connectStreamToCallback("x", 0, std::unique_ptr<CB>(new CB));
  std::function<void(void *)> ff;
  e.connectStreamToCallback("x", ff);
}
extern "C" Program Build(Graph &graph, const std::vector<Tensor> &inputs) {
  return Sequence();
}
bool isIpu(TargetType type) {
  switch (type) {
  case TargetType::IPU:
  case TargetType::IPU_MODEL:
    return true;
  case TargetType::CPU:
    return false;
  }
  return false;
}
Graph makeGraph(const Target &target) {
  Graph graph(target);
  return graph;
}

// Programs become each other, constants become inputs, and so on.
Sequence repeated(Graph &g, ComputeSet cs, Tensor t) {
  Sequence s = Repeat(3, Execute(cs));
  s = Copy(t, t);
  Program any = s;
  Sequence back = any;
  std::vector<Sequence> list{Repeat(2, s), If(t, s, back), {Execute(cs), s}};
  Execute ex = cs;
  Sequence nested({Repeat(2, s), list[0]}, {"name"});
  Sequence fromMove(std::move(nested));
  fromMove.add(ex);
  if (t.valid())
    return Call(g.addFunction(s));
  return Switch(t, {{0, s}});
}

class Estimator {
public:
  std::uint64_t operator()(const VertexIntrospector &vertex,
                           const Target &target) const {
    const FieldData in = vertex.getFieldInfo("in");
    std::uint64_t cycles = 10;
    for (std::size_t i = 0; i != in.size(); ++i)
      cycles += in[i].size() + in.getSizeAtIndex(i);
    return cycles + vertex.getFieldInfo("n").getInitialValue<unsigned>(target);
  }
};

void constantsAsInputs(Graph &g, ComputeSet cs, Tensor t, std::size_t n,
                       std::vector<float> values, DebugNameAndId dnai) {
  auto v = g.addVertex(
      cs, "V",
      {{"x", 2.5f}, {"n", 3}, {"in", t}, {"k", n}, {"flag", true}, {"d", 0.5}});
  g.connect(v["x"], 2.5f);
  g.connect(v["n"], n);
  g.connect(v["values"], ArrayRef<float>(values));
  g.registerPerfEstimator(
      "V", [](const VertexIntrospector &vertex, const Target &target) {
        return VertexPerfEstimate(Estimator()(vertex, target));
      });
  Type &floatType = FLOAT;
  Type copy = floatType;
  bool real = copy.isFloatingPoint() && !INT.isFloatingPoint();
  Interval i(1, n);
  std::size_t extent = i.upper() - i.lower();
  Sequence prog;
  Tensor cycles = cycleCount(g, prog, 0, "cycles");
  cycles = cycleCount(g, prog, 0, SyncType::EXTERNAL, "cycles");
  cycles = cycleCount(g, prog, 0);
  cycles = cycleCount(g, prog, 0, {dnai, "x"});
  std::string names = t.getVarStr();
  Tensor none;
  Tensor plain = g.addVariable(HALF, none, {2, 3}, "plain");
  plain = g.addVariable(HALF, none, {2, 3}, VariableMappingMethod::LINEAR);
  plain = g.clone(FLOAT, none, plain, {dnai});
  std::unordered_map<VariableRef, unsigned> byVariable;
  (void)real;
  (void)extent;
}

#if __cplusplus >= 201703L
void arraysWithoutTypes(Engine &e, std::vector<float> v, std::string s) {
  const int numbers[] = {1, 2, 3};
  std::array<unsigned, 4> fixed{};
  float host[4];
  ArrayRef a(v);
  ArrayRef b(numbers);
  ArrayRef c(fixed);
  ArrayRef d(host, 4);
  ArrayRef f(s);
  static_assert(std::is_same_v<decltype(a), ArrayRef<float>>);
  static_assert(std::is_same_v<decltype(b), ArrayRef<int>>);
  static_assert(std::is_same_v<decltype(c), ArrayRef<unsigned>>);
  static_assert(std::is_same_v<decltype(d), ArrayRef<float>>);
  static_assert(std::is_same_v<decltype(f), ArrayRef<char>>);
  convertToDeviceType(HALF, ArrayRef(v), host);
  (void)e;
}
#endif
