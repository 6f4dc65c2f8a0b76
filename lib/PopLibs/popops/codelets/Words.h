// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of elements smaller than a word that may be copied as words: storing
// such an element alone means reading the word around it first.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_WORDS_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_WORDS_H

namespace popops {

typedef unsigned __attribute__((may_alias)) Word;

template <class T> inline Word *wordsOf(T *p) {
  return reinterpret_cast<Word *>(p);
}
template <class T> inline const Word *wordsOf(const T *p) {
  return reinterpret_cast<const Word *>(p);
}

/// Returns true if consecutive rows of that many elements, from these addresses
/// on, are whole words. Always false for word-sized elements.
template <class T>
inline bool areWords(unsigned elements, const T *a, const T *b) {
  const auto places = reinterpret_cast<__UINTPTR_TYPE__>(a) |
                      reinterpret_cast<__UINTPTR_TYPE__>(b) |
                      elements * sizeof(T);
  return sizeof(T) < sizeof(Word) && places % sizeof(Word) == 0;
}

} // namespace popops

#endif
