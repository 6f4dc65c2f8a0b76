// Containers, strings and owning pointers of C++17, as far as the standard says
// what they print.

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cstdio>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

struct Shape {
  virtual ~Shape() { printf("~Shape\n"); }
  virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  explicit Square(float side) : side(side) {}
  float area() const override { return side * side; }
};

static void strings() {
  std::string text = "hello";
  text += " world, which is longer than a short string";
  text.insert(5, ",").replace(0, 1, "H").erase(6, 1);
  printf("%s %zu %zu\n", text.c_str(), text.find("which"), text.rfind('o'));
  printf("%s %d %d\n", text.substr(3, 8).c_str(), text < "I",
         text.compare("Ha") > 0);
  printf("%s\n",
         ("<" + std::string(3, 'x') + std::string_view("yz").data()).c_str());
  printf("%s %s %s %s\n", std::to_string(-42).c_str(),
         std::to_string(18446744073709551615ull).c_str(),
         std::to_string(0.125f).c_str(), std::to_string(-1e100).c_str());
  std::size_t end;
  printf("%d %lld %.9g", std::stoi("12x", &end),
         std::stoll("-0x7f", nullptr, 16), std::stof("1.1"));
  printf(" %zu %.17g\n", end, std::stod("2.2250738585072014e-308"));
  char digits[12];
  *std::to_chars(digits, digits + 12, -12345).ptr = 0;
  int value = 0;
  std::from_chars(digits, digits + 4, value);
  printf("%s %d\n", digits, value);
}

static void containers() {
  std::vector<std::string> words;
  for (int i = 0; i != 20; ++i)
    words.push_back(std::string(i % 7 + 10, char('a' + i * 7 % 26)));
  std::sort(words.begin(), words.end());
  std::map<int, std::string> byKey;
  for (int i = 0; i != 20; ++i)
    byKey[i * 7 % 23] = words[i];
  byKey.erase(7);
  for (const auto &[key, word] : byKey)
    printf("%d=%.1s%zu ", key, word.c_str(), word.size());
  std::unordered_map<std::string, int> counts;
  for (const std::string &word : words)
    counts[word.substr(0, 10)] += 1;
  printf("\n%zu %d %zu\n", counts.size(), counts.at(words[3].substr(0, 10)),
         counts.count("none"));
  std::set<float> ordered = {3, 1, 2};
  std::list<int> list = {3, 1, 2};
  list.sort();
  list.remove(2);
  std::deque<int> deque;
  for (int i = 0; i != 300; ++i)
    i % 2 ? deque.push_front(i) : deque.push_back(i);
  std::priority_queue<int> queue(deque.begin(), deque.end());
  std::bitset<70> bits("1011");
  printf("%g %d %zu %d %d %zu\n", *ordered.begin(), list.back(), list.size(),
         deque[10], queue.top(), bits.count() + bits.test(65));
}

static void owners() {
  auto own = std::make_unique<Square>(3);
  std::shared_ptr<Shape> shared = std::make_shared<Square>(4), second = shared;
  std::weak_ptr<Shape> weak = shared;
  std::shared_ptr<Shape> third(new Square(5));
  printf("%g %g %ld %d\n", own->area(), weak.lock()->area(), shared.use_count(),
         weak.expired());
  shared.reset();
  second.reset();
  printf("%d %d\n", weak.expired(), weak.lock() == nullptr);
}

static void others() {
  int base = 40;
  std::function<int(int)> add = [&](int value) { return value + base; };
  std::variant<int, float, std::string> variant = std::string("text");
  std::optional<std::string> optional;
  printf("%d %zu %s ", add(2), variant.index(),
         optional.value_or("none").c_str());
  optional = std::get<std::string>(variant);
  variant = 2.5f;
  printf("%s %g\n", optional->c_str(),
         std::visit([](const auto &value) -> double { return sizeof(value); },
                    std::variant<int, float>(std::get<float>(variant))));
  std::mt19937 random(1);
  random.discard(1000);
  std::vector<int> numbers(10);
  std::iota(numbers.begin(), numbers.end(), 1);
  std::rotate(numbers.begin(), numbers.begin() + 3, numbers.end());
  printf("%u %d %d\n", unsigned(random()), std::gcd(12, 18),
         std::accumulate(numbers.begin(), numbers.begin() + 4, 0));
}

std::map<std::string, int> global = {{"one", 1}, {"two", 2}};

int main() {
  strings();
  containers();
  owners();
  others();
  printf("%d\n", global["two"]);
}
