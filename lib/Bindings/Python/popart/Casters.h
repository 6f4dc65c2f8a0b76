// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of Python values to arguments of the C++ interface that pybind11
// lacks: None is an omitted attribute, a NumPy array is a tensor, and a str is
// the name of a part of a model.

#ifndef POPULUS_LIB_BINDINGS_PYTHON_POPART_CASTERS_H
#define POPULUS_LIB_BINDINGS_PYTHON_POPART_CASTERS_H

#include "lib/Bindings/Python/popart/Arrays.h"

#include <popart/opsetbase.hpp>

#include <pybind11/stl.h>

namespace pybind11::detail {

template <class T> struct type_caster<popart::popart_detail::Optional<T>> {
  using Optional = popart::popart_detail::Optional<T>;
  using Inner = make_caster<T>;
  PYBIND11_TYPE_CASTER(Optional,
                       const_name("Optional[") + Inner::name + const_name("]"));

  bool load(handle source, bool convert) {
    if (source.is_none())
      return true;
    Inner inner;
    if (!source || !inner.load(source, convert))
      return false;
    value = Optional(cast_op<T &&>(std::move(inner)));
    return true;
  }
  static handle cast(const Optional &source, return_value_policy policy,
                     handle parent) {
    return source ? Inner::cast(*source, policy, parent) : none().release();
  }
};

/// The array lives as long as the call; one that is not contiguous is copied.
template <> struct type_caster<popart::ConstVoidData> {
  PYBIND11_TYPE_CASTER(popart::ConstVoidData, const_name("numpy.ndarray"));

  bool load(handle source, bool) {
    if (!populus::python::isArray(source))
      return false;
    held = populus::python::contiguous(source);
    value = popart::ConstVoidData(held.data(), populus::python::infoOf(held));
    return true;
  }

private:
  array held;
};

} // namespace pybind11::detail

#endif
