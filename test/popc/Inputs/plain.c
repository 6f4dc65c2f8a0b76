#ifndef ANSWER
#define ANSWER 42
#endif
int answer(void) { return ANSWER; }
