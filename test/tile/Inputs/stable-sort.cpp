// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stable sorting, merging in place and stable partition, over lengths and
// numbers of equal keys.

#include <algorithm>
#include <cstdio>
#include <functional>

namespace {

struct Item {
  int key;
  int order;
};
Item items[2000];
int numbers[2000];

} // namespace

int main() {
  unsigned seed = 1;
  long bad = 0;
  for (int n : {0, 1, 2, 3, 15, 16, 17, 31, 33, 64, 100, 257, 1000, 1999}) {
    for (int keys : {1, 2, 7, 1000}) {
      for (int i = 0; i < n; ++i) {
        seed = seed * 1664525 + 1013904223;
        items[i] = {int((seed >> 8) % keys), i};
      }
      std::stable_sort(items, items + n, [](const Item &x, const Item &y) {
        return x.key < y.key;
      });
      for (int i = 1; i < n; ++i)
        bad += items[i - 1].key > items[i].key ||
               (items[i - 1].key == items[i].key &&
                items[i - 1].order >= items[i].order);
      std::stable_sort(items, items + n, [](const Item &x, const Item &y) {
        return x.order < y.order;
      });
      for (int i = 0; i < n; ++i)
        bad += items[i].order != i;
      int asked = 0;
      Item *middle =
          std::stable_partition(items, items + n, [&](const Item &item) {
            ++asked;
            return item.key < keys / 2;
          });
      bad += asked != n;
      for (Item *item = items; item != items + n; ++item)
        bad +=
            (item->key < keys / 2) != (item < middle) ||
            (item != items && item != middle && item[-1].order >= item->order);
    }
    for (int i = 0; i < n; ++i)
      numbers[i] = i < n / 3 ? 3 * i : 2 * (i - n / 3);
    std::inplace_merge(numbers, numbers + n / 3, numbers + n);
    bad += !std::is_sorted(numbers, numbers + n);
    std::stable_sort(numbers, numbers + n, std::greater<>());
    bad += !std::is_sorted(numbers, numbers + n, std::greater<>());
  }
  std::printf("%ld wrong\n", bad);
  return bad != 0;
}
