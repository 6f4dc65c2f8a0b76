// clang-format off
// Features that the code generator lacks are errors at the function that uses them.
// RUN: rm -f %t.gp
// RUN: not popc %s --target=ipu2 -o %t.gp 2>&1 | FileCheck %s
// RUN: not test -e %t.gp

extern "C" int other(int x);
// CHECK-DAG: unsupported.cpp:[[@LINE+1]]:16: error: a call is marked musttail, and calls never become jumps on an IPU
extern "C" int jumps(int x) { [[clang::musttail]] return other(x); }
