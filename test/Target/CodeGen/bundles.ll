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

; A branch takes an auxiliary instruction along, which executes wherever it goes.
; CHECK-LABEL: branch:
; CHECK: { brz $m0, .L{{[A-Z0-9_]+}} ; f32mul $a0, $a0, $a1 }
define float @branch(i32 %n, float %x, float %y) {
  %m = fmul float %x, %y
  %c = icmp eq i32 %n, 0
  br i1 %c, label %none, label %some, !prof !0
some:
  %s = fadd float %m, %y
  ret float %s
none:
  call void @other()
  ret float %m
}
declare void @other()
!0 = !{!"branch_weights", i32 1, i32 100}

; CHECK-LABEL: result:
; CHECK: { br $m10 ; f32add $a0, $a0, $a1 }
define float @result(float %x, float %y) {
  %s = fadd float %x, %y
  ret float %s
}
