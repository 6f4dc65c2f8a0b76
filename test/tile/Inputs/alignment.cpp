// Objects on the stack with more than the alignment of the stack.
#include <cstdint>
#include <cstdio>
struct alignas(16) V {
  float x[4];
};
__attribute__((noinline)) void fill(V *v, int k) {
  for (int i = 0; i < 4; ++i)
    v->x[i] = i * k;
}
__attribute__((noinline)) float take(V v, int k) {
  return v.x[k & 3] + ((uintptr_t)&v % 16);
}
__attribute__((noinline)) V make(int k) {
  V v;
  fill(&v, k);
  return v;
}
int main() {
  int a = 3;
  V v;
  fill(&v, 2);
  alignas(64) int b[5] = {1, 2, 3, 4, 5};
  fill(&v, 3);
  printf("%g %d %d %d\n", v.x[2], (int)((uintptr_t)&v % 16),
         (int)((uintptr_t)b % 64), b[a]);
  V w = make(5);
  printf("%g %g\n", w.x[1], take(w, 2));
  alignas(32) char c[33];
  for (int i = 0; i < 33; ++i)
    c[i] = i;
  printf("%d %d\n", (int)((uintptr_t)c % 32), c[a + 20]);
}
