// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::inplace_merge for codelets. libc++'s calls itself, which code on a tile
// must not, and asks for memory. This one divides in the same way (both parts
// are cut where their elements belong before and behind the same value, the
// inner pieces change places, and two smaller merges are left), but writes down
// the larger of the two and goes on with the smaller: no more are open than the
// logarithm of the length. The rest of libc++'s header is kept.

#ifndef POPULUS_INCLUDE_CXX_ALGORITHM_INPLACE_MERGE_H
#define POPULUS_INCLUDE_CXX_ALGORITHM_INPLACE_MERGE_H

// Include libc++'s dependencies first, so that the macros affect only this
// header.
#include <__algorithm/comp.h>
#include <__algorithm/comp_ref_type.h>
#include <__algorithm/iterator_operations.h>
#include <__algorithm/lower_bound.h>
#include <__algorithm/min.h>
#include <__algorithm/move.h>
#include <__algorithm/rotate.h>
#include <__algorithm/upper_bound.h>
#include <__functional/identity.h>
#include <__iterator/advance.h>
#include <__iterator/distance.h>
#include <__iterator/iterator_traits.h>
#include <__iterator/reverse_iterator.h>
#include <__memory/destruct_n.h>
#include <__memory/temporary_buffer.h>
#include <__memory/unique_ptr.h>
#include <__utility/pair.h>
#include <new>

#define inplace_merge __libcxx_inplace_merge
#define __inplace_merge __libcxx_inplace_merge_impl
#include_next <__algorithm/inplace_merge.h>
#undef __inplace_merge
#undef inplace_merge

_LIBCPP_BEGIN_NAMESPACE_STD

/// Two sorted ranges, one behind the other, with their lengths.
template <class _Iterator> struct __merge_of_two {
  typedef typename iterator_traits<_Iterator>::difference_type _Count;

  _Iterator __first, __middle, __last;
  _Count __before, __after;

  _LIBCPP_HIDE_FROM_ABI bool __is_done() const {
    return __before == 0 || __after == 0;
  }
  _LIBCPP_HIDE_FROM_ABI _Count __length() const { return __before + __after; }
};

template <class _AlgPolicy, class _Iterator, class _Compare>
_LIBCPP_HIDE_FROM_ABI void __inplace_merge(_Iterator __first,
                                           _Iterator __middle, _Iterator __last,
                                           _Compare &&__compare) {
  using _Ops = _IterOps<_AlgPolicy>;
  typedef __merge_of_two<_Iterator> _Merge;
  __identity __same;
  _Merge __open[8 * sizeof(typename _Merge::_Count)];
  unsigned __count = 0;
  __open[__count++] =
      _Merge{__first, __middle, __last, _Ops::distance(__first, __middle),
             _Ops::distance(__middle, __last)};
  while (__count != 0) {
    _Merge __now = __open[--__count];
    while (!__now.__is_done()) {
      if (__now.__length() == 2) {
        if (__compare(*__now.__middle, *__now.__first))
          _Ops::iter_swap(__now.__first, __now.__middle);
        break;
      }
      _Merge __front = __now, __back = __now;
      if (__now.__before < __now.__after) {
        __back.__middle = _Ops::next(__now.__middle, __now.__after / 2);
        __front.__middle = std::__upper_bound<_AlgPolicy>(
            __now.__first, __now.__middle, *__back.__middle, __compare, __same);
      } else {
        __front.__middle = _Ops::next(__now.__first, __now.__before / 2);
        __back.__middle = std::__lower_bound<_AlgPolicy>(
            __now.__middle, __now.__last, *__front.__middle, __compare, __same);
      }
      __front.__before = _Ops::distance(__now.__first, __front.__middle);
      __front.__after = _Ops::distance(__now.__middle, __back.__middle);
      __back.__before = __now.__before - __front.__before;
      __back.__after = __now.__after - __front.__after;
      __front.__last = __back.__first =
          std::__rotate<_AlgPolicy>(__front.__middle, __now.__middle,
                                    __back.__middle)
              .first;
      bool __is_front_larger = __front.__length() > __back.__length();
      __open[__count++] = __is_front_larger ? __front : __back;
      __now = __is_front_larger ? __back : __front;
    }
  }
}

template <class _Iterator, class _Compare>
inline _LIBCPP_HIDE_FROM_ABI void
inplace_merge(_Iterator __first, _Iterator __middle, _Iterator __last,
              _Compare __compare) {
  std::__inplace_merge<_ClassicAlgPolicy>(
      std::move(__first), std::move(__middle), std::move(__last), __compare);
}

template <class _Iterator>
inline _LIBCPP_HIDE_FROM_ABI void
inplace_merge(_Iterator __first, _Iterator __middle, _Iterator __last) {
  std::inplace_merge(std::move(__first), std::move(__middle), std::move(__last),
                     __less<>());
}

_LIBCPP_END_NAMESPACE_STD

#endif
