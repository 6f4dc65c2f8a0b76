int answer(void);
int twice(void) { return 2 * answer(); }
