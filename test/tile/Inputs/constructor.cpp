struct S {
  S();
  int x;
} s;
S::S() : x(3) {}
int main() { return s.x; }
