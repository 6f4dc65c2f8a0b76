// Copies of objects that are written in part; with BAD what is not written is
// used.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

struct Padded {
  char letter;
  short number;
  long long wide;
};
struct Empty {};

__attribute__((noinline)) static int numberOf(Padded value, Empty) {
  return value.number;
}

int main() {
  char *text = static_cast<char *>(std::malloc(37));
  std::strcpy(text, "grows");
  text = static_cast<char *>(std::realloc(text, 90));

  Padded *first = static_cast<Padded *>(std::malloc(sizeof(Padded)));
  first->number = 3;
  Padded *second = static_cast<Padded *>(std::malloc(sizeof(Padded)));
  std::memcpy(second, first, sizeof(Padded));

  char bytes[20], others[20];
  bytes[3] = 'x';
  std::memcpy(others, bytes + 1, 7);

  std::string moved = "short";
  std::vector<std::string> strings;
  for (char c = 'a'; c != 'f'; ++c)
    strings.push_back(std::move(moved) + c);
  std::optional<int> none, copy = none;

  std::printf("%s %d %c %s %d\n", text, numberOf(*second, Empty()), others[2],
              strings[0].c_str(), copy.has_value());
#ifdef BAD
  if (second->wide == 1)
    std::puts("one");
#endif
}
