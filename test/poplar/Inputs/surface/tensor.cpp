// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every form of the functions of tensors, types, intervals and references to
// arrays and strings, once. The program is compiled and linked; its functions
// are not run.

#include <poplar/Graph.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Target.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/TypeTraits.hpp>

#include <array>
#include <iostream>
#include <map>
#include <unordered_map>
#include <unordered_set>

using namespace poplar;

void shape(const Tensor &t) {
  Tensor empty;
  Type type = t.elementType();
  std::vector<std::size_t> shape = t.shape();
  std::size_t sum = t.dim(0) + t.rank() + t.numElements();
  bool valid = empty.valid();
  std::string text = t.shapeToString() + t.getDebugStr();
  t.dump();
  (void)sum, (void)valid;
}

void selection(const Tensor &t, int n, std::size_t m) {
  t[0];
  t[n][m];
  t.slice(0, n);
  t.slice(m, m + 1, 1);
  t.slice({0, m}, 1);
  t.slice(Interval(0, 2), 1);
  t.slice({0, 1}, {2, 3});
  t.slices({{0, 1}, {2, 3}});
  t.slices(std::vector<Interval>{{0, 1}}, 1);
  t.slices(std::vector<std::vector<Interval>>{{{0, 1}}});
  t.slices(std::vector<unsigned>{0, 2}, 1);
  t.index({0, 1});
  t.index(std::vector<std::size_t>{0, 1});
  t.subSample(2, 0);
}

void rearrangement(const Tensor &t, const std::vector<std::size_t> &shape,
                   const std::vector<unsigned> &order) {
  t.flatten();
  t.flatten(0, 2);
  t.reshape({2, 3});
  t.reshape({});
  t.reshape(shape);
  t.reshapePartial(0, 1, {2, 3});
  t.dimShuffle({1, 0});
  t.dimShuffle(order);
  t.dimShufflePartial({0}, {1});
  t.dimRoll(1);
  t.dimRoll(1, 0);
  t.transpose();
  t.expand({0});
  t.expand({0, 0, 1});
  t.squeeze({0});
  t.broadcast(4, 0);
  t.upsample(2, 0, UpsampleMethod::REPEAT);
  t.reverse(0);
  t.reinterpret(UNSIGNED_INT);
  concat(t, t);
  concat(t, t, 1);
  concat({t, t, t});
  concat({t, t}, 1);
  concat({t, t}, {1});
  concat(std::vector<Tensor>{t}, 1);
  append(t, t);
  append(t, t, 1);
}

void properties(const Tensor &t) {
  bool facts = t.isParallelWriteable() || t.containsAliases() ||
               t.containsConstant() || t.isContiguous() ||
               t.intersectsWith(t) || t.hasMetadata() || t == t || t != t;
  std::vector<Interval> regions = t.getContiguousRegions();
  for (const VariableInterval &region : t.getVarRegions()) {
    std::size_t size = region.interval.size();
    VariableRef variable = region.var;
    (void)size, (void)variable;
  }
  float value;
  facts = t.getConstantValue(&value);
  t.getConstantValue<float>(&value);
  Tensor metadata = t.getMetadata();
  (void)facts;
}

void types() {
  const Type all[] = {FLOAT,
                      HALF,
                      UNSIGNED_INT,
                      INT,
                      BOOL,
                      UNSIGNED_CHAR,
                      UNSIGNED_SHORT,
                      SHORT,
                      CHAR,
                      SIGNED_CHAR,
                      LONGLONG,
                      UNSIGNED_LONGLONG,
                      QUARTER,
                      UNSIGNED_LONG,
                      LONG};
  std::map<Type, int> ordered;
  std::unordered_map<Type, int> hashed;
  for (const Type &type : all) {
    ++ordered[type], ++hashed[type];
    std::cout << type << std::string(type.toString()) << type.requiresMetadata()
              << (type == FLOAT) << (type != HALF);
  }
  Type type = equivalent_device_type<float>().value;
  type = equivalent_device_type<unsigned>().value;
  type = equivalent_device_type<bool>::value;
  TypeTraits traits = TypeTraits::make<float>();
  std::cout << traits.size << traits.isFloat;
  static_assert(TypeTraits::isSimpleType<float>(), "a simple type");
  IeeeHalf half(1.5f);
  half = IeeeHalf::fromBits(0x3c00);
  std::cout << half.bit16();
  QuarterMetadata metadata(QuarterMetadata::Format::F152, 2), none;
  std::cout << metadata.getScale() << metadata.toString()
            << (metadata.getFormat() == QuarterMetadata::Format::F143);
}

void references(const std::vector<float> &list, const std::string &name) {
  Interval interval(0, 4), other = {1, 2};
  std::cout << interval << interval.begin() << interval.end() << interval.size()
            << interval.lower() << interval.upper() << (interval < other)
            << (interval == other);
  GenericInterval<unsigned> of32(0, 2);
  float array[] = {1, 2};
  std::array<float, 2> fixed = {{1, 2}};
  ArrayRef<float> a(list), b(array), c(fixed), d({1.0f, 2.0f}), e(array, 2),
      f(array, array + 2), g(array[0]);
  std::cout << a.data() << a.size() << a.empty() << a[0] << a.front()
            << a.back() << *a.begin() << (a.end() - a.begin());
  StringRef s = "text", t = name;
  std::string whole = s;
  whole = s.cloneAsString() + name;
  whole = s + name;
  whole = name + s;
  std::cout << (s == t) << (s < t) << s.size() << s.data();
  for (char letter : s)
    std::cout << letter;
  std::unordered_set<VariableRef> variables;
}

void conversions(const Target &target, std::vector<float> &floats,
                 std::vector<double> &doubles, void *bytes) {
  copyFloatToDeviceHalf(target, floats.data(), bytes, floats.size());
  copyDeviceHalfToFloat(target, bytes, floats.data(), floats.size());
  copyDoubleToDeviceHalf(target, doubles.data(), bytes, doubles.size());
  copyDeviceHalfToDouble(target, bytes, doubles.data(), doubles.size());
  convertToDeviceType(HALF, ArrayRef<float>(floats), bytes);
  convertToDeviceType(HALF, ArrayRef<float>(floats), bytes, true);
  convertFromDeviceType(HALF, bytes, ArrayRef<float>(floats));
  convertToDeviceType<float>(HALF, floats, bytes);
  convertFromDeviceType<float>(HALF, bytes, floats);
}

int main() { return 0; }
