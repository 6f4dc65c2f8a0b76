// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records the arguments and results of a library function as debug information:
//
//   poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, options));
//   ...
//   di.addOutputs(DI_ARGS(output));

#ifndef POPULUS_POPUTIL_DEBUGINFO_HPP
#define POPULUS_POPUTIL_DEBUGINFO_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace poputil {

poplar::ProfileValue toProfileValue(const poplar::ComputeSet &t);
poplar::ProfileValue toProfileValue(const poplar::OptionFlags &t);
/// Shape and element type.
poplar::ProfileValue toProfileValue(const poplar::Tensor &t);
poplar::ProfileValue toProfileValue(const poplar::Type &t);
poplar::ProfileValue toProfileValue(const std::string &t);
poplar::ProfileValue toProfileValue(const char *t);
namespace populus_values {

enum class ValueKind { Number, Enumerator, Pointer, Unknown };
template <ValueKind K> using OfKind = std::integral_constant<ValueKind, K>;

template <class T>
poplar::ProfileValue valueOf(const T &t, OfKind<ValueKind::Number>) {
  return poplar::ProfileValue(t);
}
template <class T>
poplar::ProfileValue valueOf(const T &t, OfKind<ValueKind::Enumerator>) {
  return poplar::ProfileValue(static_cast<long long>(t));
}
/// Describes the pointee, or nothing for a null pointer.
template <class T>
poplar::ProfileValue valueOf(const T &t, OfKind<ValueKind::Pointer>);
template <class T>
poplar::ProfileValue valueOf(const T &, OfKind<ValueKind::Unknown>) {
  static_assert(!std::is_same<T, T>::value,
                "specialise poputil::toProfileValue for this type");
  return {};
}

} // namespace populus_values

/// Describes numbers, enumerators as numbers, and pointers by their pointees.
/// Libraries specialise the template for their own types.
template <class T> poplar::ProfileValue toProfileValue(const T &t) {
  using populus_values::ValueKind;
  return populus_values::valueOf(
      t, populus_values::OfKind<std::is_arithmetic<T>::value ? ValueKind::Number
                                : std::is_enum<T>::value ? ValueKind::Enumerator
                                : std::is_pointer<T>::value
                                    ? ValueKind::Pointer
                                    : ValueKind::Unknown>());
}
template <class T>
poplar::ProfileValue toProfileValue(const std::vector<T> &ts) {
  poplar::ProfileValue::Vector values;
  for (const T &t : ts)
    values.push_back(toProfileValue(t));
  return poplar::ProfileValue(values);
}
template <class T>
poplar::ProfileValue populus_values::valueOf(const T &t,
                                             OfKind<ValueKind::Pointer>) {
  return t ? toProfileValue(*t) : poplar::ProfileValue("<null>");
}

/// A named fact.
struct ArgType {
  std::string n;
  poplar::ProfileValue pv;

  ArgType(std::string name, poplar::ProfileValue value)
      : n(std::move(name)), pv(std::move(value)) {}
};

/// Facts about an operation of a library layer.
class OpDebugInfo : public poplar::DebugInfo {
public:
  OpDebugInfo(const poplar::DebugContext &debugContext, std::string layer)
      : DebugInfo(debugContext, std::move(layer)) {}

  /// Records the arguments as one fact with that name.
  void add(std::string name, const std::vector<ArgType> &args);
};

class PoplibsOpDebugInfo : public OpDebugInfo {
public:
  PoplibsOpDebugInfo(const poplar::DebugContext &debugContext,
                     const std::vector<ArgType> &args = {},
                     const std::string &api = __builtin_FUNCTION());

  void addOutput(const poplar::Tensor &output);
  void addOutputs(const std::vector<ArgType> &outputs);
};

} // namespace poputil

#define DI_KEY_VALUE_ARG(T) poputil::ArgType(#T, poputil::toProfileValue(T))

// DI_ARGS(a, b, ...), with up to 16 names.
#define POPULUS_DI_1(A) DI_KEY_VALUE_ARG(A)
#define POPULUS_DI_2(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_1(__VA_ARGS__)
#define POPULUS_DI_3(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_2(__VA_ARGS__)
#define POPULUS_DI_4(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_3(__VA_ARGS__)
#define POPULUS_DI_5(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_4(__VA_ARGS__)
#define POPULUS_DI_6(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_5(__VA_ARGS__)
#define POPULUS_DI_7(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_6(__VA_ARGS__)
#define POPULUS_DI_8(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_7(__VA_ARGS__)
#define POPULUS_DI_9(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_8(__VA_ARGS__)
#define POPULUS_DI_10(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_9(__VA_ARGS__)
#define POPULUS_DI_11(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_10(__VA_ARGS__)
#define POPULUS_DI_12(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_11(__VA_ARGS__)
#define POPULUS_DI_13(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_12(__VA_ARGS__)
#define POPULUS_DI_14(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_13(__VA_ARGS__)
#define POPULUS_DI_15(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_14(__VA_ARGS__)
#define POPULUS_DI_16(A, ...) DI_KEY_VALUE_ARG(A), POPULUS_DI_15(__VA_ARGS__)
#define POPULUS_DI_PICK(A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12,     \
                        A13, A14, A15, A16, NAME, ...)                         \
  NAME
#define DI_ARGS(...)                                                           \
  {POPULUS_DI_PICK(__VA_ARGS__, POPULUS_DI_16, POPULUS_DI_15, POPULUS_DI_14,   \
                   POPULUS_DI_13, POPULUS_DI_12, POPULUS_DI_11, POPULUS_DI_10, \
                   POPULUS_DI_9, POPULUS_DI_8, POPULUS_DI_7, POPULUS_DI_6,     \
                   POPULUS_DI_5, POPULUS_DI_4, POPULUS_DI_3, POPULUS_DI_2,     \
                   POPULUS_DI_1, )(__VA_ARGS__)}

#endif
