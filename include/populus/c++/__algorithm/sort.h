// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::sort for codelets. libc++'s calls itself, which code on a tile must not,
// and for numbers lies in a library that is not linked. This one needs no stack
// and little code: insertion for short ranges, a heap for the others, the same
// on every target. The other parts of libc++'s header are kept under their
// names; only its sort is hidden, behind two macros.

#ifndef POPULUS_INCLUDE_CXX_ALGORITHM_SORT_H
#define POPULUS_INCLUDE_CXX_ALGORITHM_SORT_H

// Include libc++'s dependencies first, so that the macros affect only this
// header.
#include <__algorithm/comp.h>
#include <__algorithm/min_element.h>
#include <__algorithm/partial_sort.h>
#include <__bit/blsr.h>
#include <__debug_utils/strict_weak_ordering_check.h>
#include <__functional/ranges_operations.h>
#include <__utility/pair.h>
#include <climits>
#include <cstdint>

#define sort __libcxx_sort
#define __sort_impl __libcxx_sort_impl
#include_next <__algorithm/sort.h>
#undef __sort_impl
#undef sort

_LIBCPP_BEGIN_NAMESPACE_STD

template <class _AlgPolicy, class _Iterator, class _Compare>
inline _LIBCPP_HIDE_FROM_ABI _LIBCPP_CONSTEXPR_SINCE_CXX20 void
__sort_impl(_Iterator __first, _Iterator __last, _Compare &__compare) {
  if (__last - __first <= 16)
    std::__insertion_sort<_AlgPolicy, _Compare &>(__first, __last, __compare);
  else
    std::__partial_sort<_AlgPolicy>(__first, __last, __last, __compare);
}

template <class _Iterator, class _Compare>
inline _LIBCPP_HIDE_FROM_ABI _LIBCPP_CONSTEXPR_SINCE_CXX20 void
sort(_Iterator __first, _Iterator __last, _Compare __compare) {
  std::__sort_impl<_ClassicAlgPolicy>(std::move(__first), std::move(__last),
                                      __compare);
}

template <class _Iterator>
inline _LIBCPP_HIDE_FROM_ABI _LIBCPP_CONSTEXPR_SINCE_CXX20 void
sort(_Iterator __first, _Iterator __last) {
  std::sort(__first, __last, __less<>());
}

_LIBCPP_END_NAMESPACE_STD

#endif
