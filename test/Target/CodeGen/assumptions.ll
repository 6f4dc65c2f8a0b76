; What is assumed in one arm of a choice does not keep the choice a branch, nor the loop
; around it from becoming rpt.
; RUN: %{llc} -O2 -asm-verbose=0 < %s | FileCheck %s
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; CHECK-LABEL: relu:
; CHECK: rpt {{.*}}, 1
; CHECK-NEXT: ld32step
; CHECK-NEXT: { st32step {{.*}} ; f32max
define void @relu(ptr %x, i16 zeroext %n16) {
entry:
  %n = zext i16 %n16 to i32
  %empty = icmp eq i32 %n, 0
  br i1 %empty, label %end, label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %next ]
  %p = getelementptr float, ptr %x, i32 %i
  %v = load float, ptr %p
  %positive = fcmp ogt float %v, 0.0
  br i1 %positive, label %keep, label %next
keep:
  call void @llvm.assume(i1 true) [ "align"(ptr %x, i32 8) ]
  br label %next
next:
  %r = phi float [ %v, %keep ], [ 0.0, %body ]
  store float %r, ptr %p
  %i1 = add nuw i32 %i, 1
  %done = icmp eq i32 %i1, %n
  br i1 %done, label %end, label %body
end:
  ret void
}
declare void @llvm.assume(i1)
