int answer(void) {
  int unused;
  return 42;
}
