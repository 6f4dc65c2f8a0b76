; Integer operations, constants, comparisons and conditional moves.
; RUN: %{llc} -O0 < %s -o /dev/null
; RUN: %{llc} -O2 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: arithmetic:
; CHECK: mul $m0, $m0, 5
; CHECK: sub $m0, 7, $m0
; CHECK: andc $m0, $m0, 15
; CHECK: add $m0, $m0, -3
; CHECK: br $m10
define i32 @arithmetic(i32 %x) {
  %b = mul i32 %x, 5
  %c = sub i32 7, %b
  %d = and i32 %c, -16
  %e = add i32 %d, -3
  ret i32 %e
}

; CHECK-LABEL: logic:
; CHECK-DAG: xnor [[A:\$m[0-9]]], $m0, $m1
; CHECK-DAG: andc [[B:\$m[0-9]]], $m1, $m0
; CHECK: mul $m0, [[A]], [[B]]
; CHECK: sort4x16lo $m0, $m0, $m15
define i32 @logic(i32 %x, i32 %y) {
  %a = xor i32 %x, %y
  %b = xor i32 %a, -1
  %c = xor i32 %x, -1
  %d = and i32 %y, %c
  %m = mul i32 %b, %d
  %e = and i32 %m, 65535
  ret i32 %e
}

; CHECK-LABEL: constants:
; CHECK-DAG: setzi [[A:\$m[0-9]+]], 1048575
; CHECK-DAG: add [[B:\$m[0-9]+]], $m15, -5
; CHECK-DAG: or [[C:\$m[0-9]+]], $m15, 0x80000000
; CHECK-DAG: setzi [[D:\$m[0-9]+]], 284280
; CHECK-DAG: or {{\$m[0-9]+}}, [[D]], 0x12300000
define void @constants(ptr %p) {
  %p1 = getelementptr i32, ptr %p, i32 1
  %p2 = getelementptr i32, ptr %p, i32 2
  %p3 = getelementptr i32, ptr %p, i32 3
  store volatile i32 1048575, ptr %p
  store volatile i32 -5, ptr %p1
  store volatile i32 -2147483648, ptr %p2
  store volatile i32 305419896, ptr %p3
  ret void
}

; CHECK-LABEL: select:
; CHECK: cmpslt [[C:\$m[0-9]+]], $m0, $m1
; CHECK: movnz $m3, [[C]], $m2
define i32 @select(i32 %a, i32 %b, i32 %x, i32 %y) {
  %c = icmp slt i32 %a, %b
  %s = select i1 %c, i32 %x, i32 %y
  ret i32 %s
}

; CHECK-LABEL: bits:
; CHECK-DAG: clz
; CHECK-DAG: popc
; CHECK-DAG: swap8
; CHECK-DAG: roll16
define i32 @bits(i32 %a) {
  %l = call i32 @llvm.ctlz.i32(i32 %a, i1 false)
  %p = call i32 @llvm.ctpop.i32(i32 %a)
  %s = call i32 @llvm.bswap.i32(i32 %a)
  %x = add i32 %l, %p
  %y = add i32 %x, %s
  ret i32 %y
}

; CHECK-LABEL: divide:
; CHECK: call $m10, __divsi3
define i32 @divide(i32 %a, i32 %b) {
  %r = sdiv i32 %a, %b
  ret i32 %r
}

; No carry flag: the carry is a comparison.
; CHECK-LABEL: wide:
; CHECK: add [[LO:\$m[0-9]+]], $m0, $m2
; CHECK: cmpult {{\$m[0-9]+}}, [[LO]], $m0
define i64 @wide(i64 %a, i64 %b) {
  %r = add i64 %a, %b
  ret i64 %r
}

; CHECK-LABEL: float64:
; CHECK: call $m10, __muldf3
define double @float64(double %a, double %b) {
  %r = fmul double %a, %b
  ret double %r
}

declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.ctpop.i32(i32)
declare i32 @llvm.bswap.i32(i32)
