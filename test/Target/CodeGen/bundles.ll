; Workers issue a main and an auxiliary instruction in one slot; nothing that
; depends on the other shares a bundle. -O0 and the supervisor have none.
; RUN: %{llc} -O2 < %s | FileCheck %s
; RUN: %{llc} -O0 < %s | FileCheck %s --check-prefix=PLAIN
; RUN: %{llc} -O2 -filetype=obj < %s -o /dev/null
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; PLAIN-NOT: {
; CHECK-LABEL: independent:
; CHECK: { ld32 $m0, $m0, $m15, 0 ; f32add $a1, $a0, $a1 }
; CHECK: { add $m0, $m0, $m1 ; f32mul $a0, $a1, $a0 }
define float @independent(ptr %p, i32 %n, ptr %r, float %x, float %y) {
  %a = load i32, ptr %p
  %f = fadd float %x, %y
  %b = add i32 %a, %n
  %g = fmul float %f, %x
  store i32 %b, ptr %r
  ret float %g
}

; A load and its use: two slots.
; CHECK-LABEL: dependent:
; CHECK-NOT: {
; CHECK: ld32 $a1
; CHECK-NEXT: f32add $a0, $a{{[01]}}, $a{{[01]}}
define float @dependent(ptr %p, float %x) {
  %a = load float, ptr %p
  %f = fadd float %x, %a
  ret float %f
}
