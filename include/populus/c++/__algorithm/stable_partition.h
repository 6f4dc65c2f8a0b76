// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::stable_partition for codelets. libc++'s calls itself, which code on a
// tile must not, and asks for memory. This one takes the elements one after the
// other, each a part of length one that is divided already, and joins the last
// two parts by a rotation as long as they are equally long; what is left in the
// end is joined from the back. No more parts are open than the logarithm of the
// length, and the predicate is asked once for each element. The rest of
// libc++'s header is kept.

#ifndef POPULUS_INCLUDE_CXX_ALGORITHM_STABLE_PARTITION_H
#define POPULUS_INCLUDE_CXX_ALGORITHM_STABLE_PARTITION_H

// Include libc++'s dependencies first, so that the macros affect only this
// header.
#include <__algorithm/iterator_operations.h>
#include <__algorithm/rotate.h>
#include <__iterator/advance.h>
#include <__iterator/distance.h>
#include <__iterator/iterator_traits.h>
#include <__memory/destruct_n.h>
#include <__memory/temporary_buffer.h>
#include <__memory/unique_ptr.h>
#include <__type_traits/remove_cvref.h>
#include <__utility/move.h>
#include <__utility/pair.h>
#include <new>

#define stable_partition __libcxx_stable_partition
#define __stable_partition __libcxx_stable_partition_policy
#define __stable_partition_impl __libcxx_stable_partition_impl
#include_next <__algorithm/stable_partition.h>
#undef __stable_partition_impl
#undef __stable_partition
#undef stable_partition

_LIBCPP_BEGIN_NAMESPACE_STD

/// A part of the range: what fulfils the predicate, then what does not.
template <class _Iterator> struct __divided_part {
  _Iterator __first, __middle, __last;
  typename iterator_traits<_Iterator>::difference_type __length;
};

/// Joins two parts that follow each other.
template <class _AlgPolicy, class _Iterator>
_LIBCPP_HIDE_FROM_ABI __divided_part<_Iterator>
__join_divided(const __divided_part<_Iterator> &__front,
               const __divided_part<_Iterator> &__back) {
  return {__front.__first,
          std::__rotate<_AlgPolicy>(__front.__middle, __back.__first,
                                    __back.__middle)
              .first,
          __back.__last, __front.__length + __back.__length};
}

template <class _AlgPolicy, class _Predicate, class _Iterator, class _Category>
_LIBCPP_HIDE_FROM_ABI _Iterator __stable_partition(_Iterator __first,
                                                   _Iterator __last,
                                                   _Predicate &&__pred,
                                                   _Category) {
  typedef __divided_part<_Iterator> _Part;
  typedef typename iterator_traits<_Iterator>::difference_type _Count;
  _Part __open[8 * sizeof(_Count) + 1];
  unsigned __count = 0;
  while (__first != __last) {
    _Iterator __next = _IterOps<_AlgPolicy>::next(__first);
    __open[__count++] =
        _Part{__first, __pred(*__first) ? __next : __first, __next, 1};
    __first = __next;
    for (; __count > 1 &&
           __open[__count - 2].__length == __open[__count - 1].__length;
         --__count)
      __open[__count - 2] = std::__join_divided<_AlgPolicy>(
          __open[__count - 2], __open[__count - 1]);
  }
  if (__count == 0)
    return __first;
  for (; __count > 1; --__count)
    __open[__count - 2] = std::__join_divided<_AlgPolicy>(__open[__count - 2],
                                                          __open[__count - 1]);
  return __open[0].__middle;
}

template <class _Iterator, class _Predicate>
inline _LIBCPP_HIDE_FROM_ABI _Iterator stable_partition(_Iterator __first,
                                                        _Iterator __last,
                                                        _Predicate __pred) {
  typedef typename iterator_traits<_Iterator>::iterator_category _Category;
  return std::__stable_partition<_ClassicAlgPolicy, _Predicate &>(
      std::move(__first), std::move(__last), __pred, _Category());
}

_LIBCPP_END_NAMESPACE_STD

#endif
