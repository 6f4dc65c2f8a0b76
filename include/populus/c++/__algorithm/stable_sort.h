// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::stable_sort for codelets: short runs by insertion, then merges of
// neighbours, each time of twice the length. Like std::sort here it does not
// call itself and asks for no memory. The rest of libc++'s header is kept.

#ifndef POPULUS_INCLUDE_CXX_ALGORITHM_STABLE_SORT_H
#define POPULUS_INCLUDE_CXX_ALGORITHM_STABLE_SORT_H

// Include libc++'s dependencies first, so that the macros affect only this
// header.
#include <__algorithm/comp.h>
#include <__algorithm/comp_ref_type.h>
#include <__algorithm/inplace_merge.h>
#include <__algorithm/iterator_operations.h>
#include <__algorithm/min.h>
#include <__algorithm/sort.h>
#include <__debug_utils/strict_weak_ordering_check.h>
#include <__iterator/iterator_traits.h>
#include <__memory/destruct_n.h>
#include <__memory/temporary_buffer.h>
#include <__memory/unique_ptr.h>
#include <__type_traits/is_trivially_assignable.h>
#include <__utility/move.h>
#include <__utility/pair.h>
#include <new>

#define stable_sort __libcxx_stable_sort
#define __stable_sort_impl __libcxx_stable_sort_impl
#include_next <__algorithm/stable_sort.h>
#undef __stable_sort_impl
#undef stable_sort

_LIBCPP_BEGIN_NAMESPACE_STD

template <class _AlgPolicy, class _Iterator, class _Compare>
inline _LIBCPP_HIDE_FROM_ABI void
__stable_sort_impl(_Iterator __first, _Iterator __last, _Compare &__compare) {
  typedef typename iterator_traits<_Iterator>::difference_type _Count;
  const _Count __length = __last - __first;
  _Count __run = 16;
  for (_Count __at = 0; __at < __length; __at += __run)
    std::__insertion_sort<_AlgPolicy, _Compare &>(
        __first + __at, __first + std::min(__at + __run, __length), __compare);
  for (; __run < __length; __run *= 2)
    for (_Count __at = 0; __at + __run < __length; __at += 2 * __run)
      std::__inplace_merge<_AlgPolicy>(
          __first + __at, __first + __at + __run,
          __first + std::min(__at + 2 * __run, __length), __compare);
}

template <class _Iterator, class _Compare>
inline _LIBCPP_HIDE_FROM_ABI void
stable_sort(_Iterator __first, _Iterator __last, _Compare __compare) {
  std::__stable_sort_impl<_ClassicAlgPolicy>(std::move(__first),
                                             std::move(__last), __compare);
}

template <class _Iterator>
inline _LIBCPP_HIDE_FROM_ABI void stable_sort(_Iterator __first,
                                              _Iterator __last) {
  std::stable_sort(__first, __last, __less<>());
}

_LIBCPP_END_NAMESPACE_STD

#endif
