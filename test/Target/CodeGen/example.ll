; A copy of 64 aligned bits takes a pair of registers.
; RUN: %{llc} -O2 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: copy:
; CHECK:      ld64 [[PAIR:\$a[0-9:]+]], $m1, $m15, 0
; CHECK-NEXT: st64 [[PAIR]], $m0, $m15, 0
define void @copy(ptr %to, ptr %from) {
  %x = load i64, ptr %from, align 8
  store i64 %x, ptr %to, align 8
  ret void
}
