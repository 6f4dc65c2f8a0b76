; Arrays that may overlap: a loop for when they do not, chosen by comparisons before it.
; RUN: %{llc} -O2 -asm-verbose=0 < %s | FileCheck %s
; RUN: %{llc} -O1 -asm-verbose=0 < %s | FileCheck %s --check-prefix=PLAIN
target datalayout = "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64"
target triple = "ipu-unknown-unknown-elf"

; The sum stays in a register in one of them.
; CHECK-LABEL: sum_in_memory:
; CHECK: cmpult
; CHECK: cmpult
; CHECK-DAG: rpt {{.*}}, 2 ;
; CHECK-DAG: rpt {{.*}}, 0 ;
; PLAIN-LABEL: sum_in_memory:
; PLAIN: rpt {{.*}}, 2 ;
; PLAIN-NOT: rpt
; PLAIN: br $m10
define void @sum_in_memory(ptr %in, i16 zeroext %n16, ptr %out) {
entry:
  %n = zext i16 %n16 to i32
  %empty = icmp eq i32 %n, 0
  br i1 %empty, label %end, label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %p = getelementptr float, ptr %in, i32 %i
  %v = load float, ptr %p
  %old = load float, ptr %out
  %new = fadd float %old, %v
  store float %new, ptr %out
  %i1 = add nuw i32 %i, 1
  %done = icmp eq i32 %i1, %n
  br i1 %done, label %end, label %body
end:
  ret void
}

; Not for size.
; CHECK-LABEL: small:
; CHECK: rpt {{.*}}, 2 ;
; CHECK-NOT: rpt
; CHECK: br $m10
define void @small(ptr %in, i16 zeroext %n16, ptr %out) optsize {
entry:
  %n = zext i16 %n16 to i32
  %empty = icmp eq i32 %n, 0
  br i1 %empty, label %end, label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %p = getelementptr float, ptr %in, i32 %i
  %q = getelementptr float, ptr %out, i32 %i
  %v = load float, ptr %p
  %w = fadd float %v, %v
  store float %w, ptr %q
  %i1 = add nuw i32 %i, 1
  %done = icmp eq i32 %i1, %n
  br i1 %done, label %end, label %body
end:
  ret void
}

; Nor for few iterations.
; CHECK-LABEL: few:
; CHECK-NOT: cmpult
; CHECK: rpt 10, 2 ;
; CHECK-NOT: rpt
; CHECK: br $m10
define void @few(ptr %in, ptr %out) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %i1, %body ]
  %p = getelementptr float, ptr %in, i32 %i
  %q = getelementptr float, ptr %out, i32 %i
  %v = load float, ptr %p
  %w = fadd float %v, %v
  store float %w, ptr %q
  %i1 = add nuw i32 %i, 1
  %done = icmp eq i32 %i1, 10
  br i1 %done, label %end, label %body
end:
  ret void
}
